#include "app/data/inspect_data.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/model_config.h"
#include "core/data/batch.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

constexpr int64_t kSampleTokens = 400;

/// Counts the targets of the batches that it hashes.
struct Counter {
    int64_t scored = 0, counted = 0;

    uint64_t hash(const Batch& batch, uint64_t seed) {
        counted += static_cast<int64_t>(batch.targets().size());
        scored += count_valid(batch.targets());
        return batch.hash(seed);
    }
};

uint64_t hash_of_step(const DataSource& batches, int64_t step, const InspectOptions& options,
                      Batch& batch, Counter& counter) {
    uint64_t hash = kHashSeed;
    for (int64_t micro = 0; micro < options.grad_accum; ++micro) {
        batches.train_batch(step, micro, batch);
        hash = counter.hash(batch, hash);
    }
    return hash;
}

/// A batch as a run asks for it; of images as a model of the usual sizes does.
Batch asked_batch(const OpenedData& data, int64_t rows, int64_t seq_len) {
    if (!data.batches->info().images) return Batch::of_tokens(rows, seq_len);
    const ModelConfig usual;
    return Batch::of_images(rows, usual.n_patch(), usual.patch_width());
}

/// The start of the first training row, or the classes of the first images.
void take_sample(const OpenedData& data, const InspectOptions& options, DataReport& report) {
    if (report.images) {
        Batch batch = asked_batch(data, options.batch_size, 0);
        data.batches->train_batch(1, 0, batch);
        report.sample = fmt::format("{}", fmt::join(batch.targets(), " "));
        return;
    }
    const int64_t length = options.seq_len;
    Batch batch = Batch::of_tokens(1, length);
    data.batches->train_batch(1, 0, batch);
    const std::span<const int32_t> all = batch.tokens();
    const std::vector<int32_t> inputs(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(length, kSampleTokens)));
    report.sample_is_text = report.tokenizer != nullptr;
    report.sample = report.tokenizer ? report.tokenizer->decode(inputs)
                                     : fmt::format("{}", fmt::join(inputs, " "));
}

}  // namespace

DataReport inspect_data(const InspectOptions& options) {
    const OpenedData data = open_all_data(options.data, options.seed);
    DataReport report;
    report.description = data.batches->info().description;
    report.vocab_size = data.batches->info().vocab_size;
    report.train_tokens = data.train_tokens;
    report.val_tokens = data.val_tokens;
    report.images = data.batches->info().images;
    report.card = read_data_card(options.data.train);
    report.tokenizer = data.tokenizer;
    take_sample(data, options, report);
    Batch batch = asked_batch(data, options.batch_size, options.seq_len);
    Counter counter;
    for (int64_t i = 0; i < options.batches; ++i) {
        report.train_hashes.push_back(hash_of_step(*data.batches, i + 1, options, batch, counter));
        data.batches->eval_batch(i, batch);
        report.eval_hashes.push_back(counter.hash(batch, kHashSeed));
    }
    if (counter.counted > 0)
        report.scored = static_cast<double>(counter.scored) / static_cast<double>(counter.counted);
    return report;
}

}  // namespace headroom
