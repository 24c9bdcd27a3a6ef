#include "core/train/random_tokens.h"

#include "core/base/philox.h"

namespace headroom {
namespace {

void fill(int64_t vocab_size, uint32_t step, uint32_t stream, std::span<int32_t> tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
        const uint32_t word = Philox::block({static_cast<uint32_t>(i), step, stream, 0}, 0, 0)[0];
        tokens[i] = static_cast<int32_t>(word % static_cast<uint64_t>(vocab_size));
    }
}

}  // namespace

void RandomTokens::train_batch(int64_t step, int64_t micro, int64_t, int64_t,
                               std::span<int32_t> inputs, std::span<int32_t> targets) const {
    fill(vocab_size_, static_cast<uint32_t>(step), static_cast<uint32_t>(micro), inputs);
    fill(vocab_size_, static_cast<uint32_t>(step), static_cast<uint32_t>(micro) + 1, targets);
}

void RandomTokens::eval_batch(int64_t index, int64_t batch_size, int64_t seq_len,
                              std::span<int32_t> inputs, std::span<int32_t> targets) const {
    train_batch(index, 0, batch_size, seq_len, inputs, targets);
}

}  // namespace headroom
