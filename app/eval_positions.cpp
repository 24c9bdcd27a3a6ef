#include "app/eval_positions.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/decode/loaded_model.h"
#include "core/model/objective_data.h"

namespace headroom {
namespace {

/// -log softmax(logits)[target].
template <class T>
double nats(std::span<const T> logits, int32_t target) {
    const double most = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const T logit : logits) sum += std::exp(static_cast<double>(logit) - most);
    return most + std::log(sum) - static_cast<double>(logits[static_cast<size_t>(target)]);
}

template <class T>
void add_sequence(LoadedModel& model, std::span<const int32_t> tokens,
                  std::span<const int32_t> targets, std::vector<LossSum>& sums) {
    const std::vector<T> logits = model.logits<T>(tokens);
    const size_t vocab = logits.size() / tokens.size();
    for (size_t t = 0; t < tokens.size(); ++t) {
        if (targets[t] == kIgnoredTarget) continue;
        sums[t].nats += nats(std::span(logits).subspan(t * vocab, vocab), targets[t]);
        ++sums[t].targets;
    }
}

}  // namespace

std::vector<LossSum> loss_by_position(const Job& job, const DataSource& data,
                                      const WeightSource& weights, Device& device) {
    const int64_t length = job.train.seq_len, rows = job.train.batch_size;
    const ObjectiveData batches(job, data);
    LoadedModel model(weights, job.precision, length, device);
    std::vector<LossSum> sums(static_cast<size_t>(length));
    Batch batch = Batch::of_tokens(rows, length);
    for (int64_t index = 0; index < job.train.eval_batches; ++index) {
        batches.eval_batch(index, batch);
        for (int64_t row = 0; row < rows; ++row) {
            const auto begin = static_cast<size_t>(row * length), n = static_cast<size_t>(length);
            const auto tokens = std::span<const int32_t>(batch.tokens()).subspan(begin, n);
            const auto targets = std::span<const int32_t>(batch.targets()).subspan(begin, n);
            if (job.precision == DType::kF64)
                add_sequence<double>(model, tokens, targets, sums);
            else
                add_sequence<float>(model, tokens, targets, sums);
        }
    }
    return sums;
}

}  // namespace headroom
