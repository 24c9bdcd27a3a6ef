#include "app/data/inspect_data.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/hash.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

constexpr int64_t kSampleTokens = 400;

struct Buffers {
    std::vector<int32_t> inputs, targets;
    int64_t scored = 0, counted = 0;

    explicit Buffers(const InspectOptions& options)
        : inputs(static_cast<size_t>(options.batch_size * options.seq_len)),
          targets(inputs.size()) {}

    uint64_t hash(uint64_t seed) {
        counted += static_cast<int64_t>(targets.size());
        scored += static_cast<int64_t>(targets.size()) -
                  std::count(targets.begin(), targets.end(), kIgnoredTarget);
        return hash_tokens(inputs, targets, seed);
    }
};

uint64_t hash_of_step(const BatchSource& batches, int64_t step, const InspectOptions& options,
                      Buffers& buffers) {
    uint64_t hash = kHashSeed;
    for (int64_t micro = 0; micro < options.grad_accum; ++micro) {
        batches.train_batch(step, micro, options.batch_size, options.seq_len, buffers.inputs,
                            buffers.targets);
        hash = buffers.hash(hash);
    }
    return hash;
}

void take_sample(const OpenedData& data, const InspectOptions& options, DataReport& report) {
    const int64_t length = options.seq_len;
    std::vector<int32_t> inputs(static_cast<size_t>(length)), targets(inputs.size());
    data.batches->train_batch(1, 0, 1, length, inputs, targets);
    inputs.resize(static_cast<size_t>(std::min(length, kSampleTokens)));
    report.sample_is_text = data.tokenizer != nullptr;
    report.sample =
        data.tokenizer ? data.tokenizer->decode(inputs) : fmt::format("{}", fmt::join(inputs, " "));
}

}  // namespace

DataReport inspect_data(const InspectOptions& options) {
    const OpenedData data = open_all_data(options.data, options.seed);
    DataReport report;
    report.description = data.batches->describe();
    report.vocab_size = data.batches->vocab_size();
    report.train_tokens = data.train_tokens;
    report.val_tokens = data.val_tokens;
    report.card = read_data_card(options.data.train);
    report.tokenizer = data.tokenizer;
    take_sample(data, options, report);
    Buffers buffers(options);
    for (int64_t i = 0; i < options.batches; ++i) {
        report.train_hashes.push_back(hash_of_step(*data.batches, i + 1, options, buffers));
        data.batches->eval_batch(i, options.batch_size, options.seq_len, buffers.inputs,
                                 buffers.targets);
        report.eval_hashes.push_back(buffers.hash(kHashSeed));
    }
    if (buffers.counted > 0)
        report.scored = static_cast<double>(buffers.scored) / static_cast<double>(buffers.counted);
    return report;
}

}  // namespace headroom
