#include "core/train/resume_checks.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/job_keys.h"
#include "core/config/learning_rate.h"
#include "core/log/run_log_reader.h"

namespace headroom {
namespace {

[[noreturn]] void refuse_another_job(const RunFolder& run, const KeyDifference& key) {
    throw UserError(
        fmt::format("{} was made by another job than the one given: {} is {} there and {} here",
                    run.log().string(), key.field->path, key.before, key.after),
        fmt::format("resume with --job {}, or choose another --out", run.job().string()));
}

[[noreturn]] void refuse_other_data(const RunFolder& run, const char* what, int64_t step,
                                    const std::string& data) {
    throw UserError(fmt::format("step {} of {} was {} on other data than {} gives now", step,
                                run.log().string(), what, data),
                    "put the data back as they were, or choose another --out");
}

}  // namespace

void check_same_job(const RunFolder& run, const Job& before, const Job& job) {
    for (const KeyDifference& key : key_differences(before, job))
        if (!key.field->resumable) refuse_another_job(run, key);
}

void check_same_steps(const RunFolder& run, const Job& before, const Job& job, int64_t done) {
    const std::string log = run.log().string();
    if (job.train.steps < done)
        throw UserError(fmt::format("{} has {} steps already, more than train.steps = {}", log,
                                    done, job.train.steps),
                        "give it as many at least, or choose another --out");
    const int64_t end = before.train.cosine_steps();
    if (!same_rates(before.train, job.train))
        throw UserError(
            fmt::format("the rate in {} falls over {} steps, and would fall over {}: what is "
                        "trained already would be of another schedule",
                        log, end, job.train.cosine_steps()),
            fmt::format("set train.decay_steps={} to go on at min_lr, or choose another --out",
                        end));
}

void check_checkpoints(const RunFolder& run, const Job& before, const RunTail& tail,
                       const std::optional<CheckpointFiles>& chosen,
                       const std::function<void(const std::string&)>& on_warning) {
    std::vector<CheckpointFiles> found = list_checkpoints(run.checkpoints());
    std::erase_if(found, [&](const CheckpointFiles& each) { return each.step > tail.step; });
    const std::string problem = found.empty() ? "" : resume_problem(found.back());
    const std::string hint = fmt::format(
        "put it back, or train anew with another --out ({} stays as it is)", run.log().string());
    if (!chosen && !problem.empty())
        throw UserError(fmt::format("no checkpoint can be resumed from: {}", problem), hint);
    const int64_t every = before.train.checkpoint_every;
    const bool had_one = tail.state == RunState::kFinished || tail.state == RunState::kStopped ||
                         (every > 0 && tail.step > every);
    if (!chosen && had_one && tail.step > 0)
        throw UserError(fmt::format("the log reaches step {}, but {} has no checkpoint any more",
                                    tail.step, run.checkpoints().string()),
                        hint);
    if (on_warning && chosen && !problem.empty())
        on_warning(fmt::format("goes on from step {}: {}", chosen->step, problem));
    if (on_warning && !chosen && tail.step > 0)
        on_warning(
            fmt::format("starts again from step 0: step {} was reached before the first checkpoint",
                        tail.step));
}

void check_same_data(const RunFolder& run, const Job& job, TrainingSession& session, int64_t step) {
    const RunSeries rows = read_run_log(run.log());
    size_t row = rows.train.step.size();
    while (row > 0 && rows.train.step[row - 1] != step) --row;
    if (row > 0 && !rows.train.batch_hash.empty() &&
        rows.train.batch_hash[row - 1] != session.batch_hash(step))
        refuse_other_data(run, "trained", step, job.data.train);
    const ValSeries& val = rows.val;
    if (const uint64_t hash = val.batch_hash.empty() ? 0 : val.batch_hash.back();
        hash != 0 && hash != session.evaluation_hash())
        refuse_other_data(run, "evaluated", val.step.back(), job.data.val);
}

}  // namespace headroom
