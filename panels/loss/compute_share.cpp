#include "panels/loss/compute_share.h"

#include <cmath>

#include "core/account/flops.h"

namespace headroom {
namespace {

/// None where the run's job cannot be read or does not know its vocabulary.
std::optional<double> training_flops_per_token(const Run& run) {
    if (!run.job || run.job->model.vocab_size == 0) return std::nullopt;
    return static_cast<double>(count_flops(run.job->model, run.job->train.seq_len).training());
}

}  // namespace

LossReference loss_reference(const RunPointer& run) {
    LossReference reference{run, 0, {}};
    const TrainSeries& train = run->series->train;
    const auto per_token = training_flops_per_token(*run);
    if (per_token && !train.tokens.empty())
        reference.flops = *per_token * static_cast<double>(train.tokens.back());
    const LossRows val = loss_rows(run, LossKind::kVal);
    for (const uint32_t row : val.kept)
        if (std::isfinite(val.loss(row))) reference.final_loss = val.loss(row);
    return reference;
}

std::optional<double> percent_per_token(const Run& run, const LossReference& reference) {
    const auto per_token = training_flops_per_token(run);
    if (!per_token || !(reference.flops > 0)) return std::nullopt;
    return 100 * *per_token / reference.flops;
}

}  // namespace headroom
