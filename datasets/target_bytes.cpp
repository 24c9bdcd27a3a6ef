#include "datasets/target_bytes.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace headroom {

std::optional<int64_t> target_bytes(const DataSource& data, int64_t eval_batches, Batch batch,
                                    const Tokenizer& tokenizer) {
    std::map<int32_t, int64_t> bytes;  // of tokens that were met
    for (const auto& [spelling, id] : tokenizer.special_tokens()) bytes[id] = 0;
    int64_t sum = 0;
    for (int64_t index = 0; index < eval_batches; ++index) {
        data.eval_batch(index, batch);
        for (const int32_t target : std::as_const(batch).targets()) {
            if (target == kIgnoredTarget) continue;
            const auto [place, is_new] = bytes.try_emplace(target, 0);
            if (is_new && !tokenizer.knows(target)) return std::nullopt;
            if (is_new) place->second = static_cast<int64_t>(tokenizer.decode({&target, 1}).size());
            sum += place->second;
        }
    }
    return sum;
}

}  // namespace headroom
