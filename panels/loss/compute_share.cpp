#include "panels/loss/compute_share.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

/// From the job that its log holds, which may be anybody's.
std::optional<double> training_flops_per_token(const RunSnapshot& run) {
    const std::string& text = run.series->attributes.job_json;
    if (text.empty()) return std::nullopt;
    try {
        const Job job = parse_job(parse_json(text, run.name), run.name);
        if (job.model.vocab_size == 0) return std::nullopt;
        return static_cast<double>(count_flops(job.model, job.train.seq_len).training());
    } catch (const UserError&) {
        return std::nullopt;
    }
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

std::optional<double> percent_per_token(const RunSnapshot& run, const LossReference& reference) {
    const auto per_token = training_flops_per_token(run);
    if (!per_token || !(reference.flops > 0)) return std::nullopt;
    return 100 * *per_token / reference.flops;
}

}  // namespace headroom
