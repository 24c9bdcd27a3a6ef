#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/study/run.h"

namespace headroom {

/// A finished run of ten steps of 100 tokens with evaluations from step 0 on.
struct MeasuredRun {
    std::string group = "base";
    int64_t seed = 1;
    std::vector<float> val_losses = {5, 4, 3};
    RunState state = RunState::kFinished;
    int64_t steps = 10;
    uint64_t data = 7;  ///< what the batches are made of
    bool repeats = false;
    int64_t eval_every = 5;

    RunPointer make() const {
        auto series = std::make_shared<RunSeries>();
        series->state = state;
        for (int64_t step = 1; step <= steps; ++step) {
            series->train.step.push_back(step);
            series->train.tokens.push_back(100 * step);
            series->train.loss.push_back(4);
            series->train.lr.push_back(1e-3f);
            series->train.grad_norm.push_back(static_cast<float>(seed));
            series->train.seconds.push_back(static_cast<double>(step));
            series->train.batch_hash.push_back(data * 1000 +
                                               static_cast<uint64_t>(seed * 100 + step));
        }
        for (size_t i = 0; i < val_losses.size(); ++i) {
            series->val.step.push_back(eval_every * static_cast<int64_t>(i));
            series->val.tokens.push_back(100 * eval_every * static_cast<int64_t>(i));
            series->val.loss.push_back(val_losses[i]);
        }
        headroom::Run run;
        run.group = group;
        run.id = run.name = group + "-s" + std::to_string(seed);
        run.seed = seed;
        run.repeats = repeats;
        run.status.phase = state == RunState::kFinished ? RunPhase::kFinished : RunPhase::kRunning;
        run.series = series;
        return std::make_shared<const headroom::Run>(run);
    }
};

inline RunPointer run(const std::string& group, int64_t seed, float final_loss) {
    return MeasuredRun{.group = group, .seed = seed, .val_losses = {5, 4, final_loss}}.make();
}

/// The same run, which says its evaluations under /scalars/val_accuracy, too.
inline RunPointer with_accuracy(const RunPointer& made) {
    auto series = std::make_shared<RunSeries>(*made->series);
    ScalarSeries& accuracy = series->scalars["val_accuracy"];
    for (size_t i = 0; i < series->val.step.size(); ++i) {
        accuracy.step.push_back(series->val.step[i]);
        accuracy.value.push_back(series->val.loss[i]);
    }
    headroom::Run run = *made;
    run.series = series;
    return std::make_shared<const headroom::Run>(run);
}

/// The same run with a job of those keys beside its seed; its evaluations say the hash of what they
/// were on, 0: nothing.
inline RunPointer with_job(const RunPointer& made, nlohmann::json job, uint64_t evaluated = 0) {
    auto series = std::make_shared<RunSeries>(*made->series);
    for (size_t i = 0; i < series->val.step.size(); ++i)
        series->val.batch_hash.push_back(evaluated);
    job.update({{"name", made->name}, {"seed", made->seed}});
    job["model"].update({{"preset", "demo"}, {"vocab_size", 256}});
    headroom::Run run = *made;
    run.series = series;
    run.job = std::make_shared<const Job>(parse_job(job, ""));
    return std::make_shared<const headroom::Run>(run);
}

/// Wu et al. (SkipV1Former), table 5.
inline std::vector<RunPointer> table_5() {
    return {run("base", 42, 2.723f), run("base", 100, 2.753f), run("base", 2025, 2.744f),
            run("skip", 42, 2.711f), run("skip", 100, 2.743f), run("skip", 2025, 2.732f)};
}

}  // namespace headroom
