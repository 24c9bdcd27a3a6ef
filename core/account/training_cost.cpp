#include "core/account/training_cost.h"

#include <algorithm>

#include "core/account/flops.h"

namespace headroom {
namespace {

/// Checkpoints hold the weights and two moments of each in float32; a row of the log is 44 bytes.
int64_t disk_bytes(const TrainConfig& train, int64_t parameters) {
    constexpr int64_t kWeightBytes = 3 * 4, kRowBytes = 44;
    // One of the end, that of no step included.
    const int64_t made =
        train.checkpoint_every > 0
            ? std::max((train.steps + train.checkpoint_every - 1) / train.checkpoint_every,
                       int64_t{1})
            : 1;
    const int64_t kept = train.keep_checkpoints > 0 ? std::min(made, train.keep_checkpoints) : made;
    return kept * kWeightBytes * parameters + kRowBytes * train.steps;
}

/// Every so many steps and after the last; of weights from a file before the first, too.
double eval_tokens(const TrainConfig& train) {
    if (train.eval_every <= 0) return 0;
    const int64_t times = (train.steps + train.eval_every - 1) / train.eval_every +
                          (train.starts_from_file() ? 1 : 0);
    return static_cast<double>(times) * static_cast<double>(train.eval_batches) *
           static_cast<double>(train.batch_size) * static_cast<double>(train.seq_len);
}

}  // namespace

double training_tokens(const TrainConfig& train) {
    return static_cast<double>(train.steps) * static_cast<double>(train.grad_accum) *
           static_cast<double>(train.batch_size) * static_cast<double>(train.seq_len);
}

TrainingCost training_cost(const Job& job) {
    const FlopCount flops = count_flops(job.model, job.train.seq_len);
    TrainingCost cost;
    cost.parameters = count_parameters(job.model);
    cost.tokens = training_tokens(job.train);
    cost.flops = static_cast<double>(flops.training()) * cost.tokens;
    cost.eval_flops = static_cast<double>(flops.forward()) * eval_tokens(job.train);
    cost.disk_bytes = disk_bytes(job.train, cost.parameters.total);
    return cost;
}

}  // namespace headroom
