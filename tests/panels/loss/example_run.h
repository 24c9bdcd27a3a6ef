#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// A run made by hand for tests: give it losses, get a snapshot.
struct ExampleRun {
    std::string id = "base-s1";
    std::string group = "base";
    int64_t seed = 1;
    int color = 0;
    RunState state = RunState::kFinished;
    int64_t tokens_per_step = 100;
    double seconds_per_step = 0.5;
    std::vector<int64_t> steps = {};  ///< 1, 2, 3 … if empty
    std::vector<float> losses = {};
    std::vector<int64_t> val_steps = {};
    std::vector<float> val_losses = {};

    RunPointer make() const {
        auto series = std::make_shared<RunSeries>();
        series->state = state;
        series->attributes.job_json = "{\"name\":\"" + id + "\"}";
        series->attributes.program = "headroom test";
        series->attributes.started = "2025-01-31T12:00:00Z";
        for (size_t i = 0; i < losses.size(); ++i) {
            const int64_t step = steps.empty() ? static_cast<int64_t>(i) + 1 : steps[i];
            series->train.step.push_back(step);
            series->train.tokens.push_back(step * tokens_per_step);
            series->train.loss.push_back(losses[i]);
            series->train.seconds.push_back(static_cast<double>(step) * seconds_per_step);
            series->train.batch_hash.push_back(static_cast<uint64_t>(step * 1000 + seed));
        }
        for (size_t i = 0; i < val_losses.size(); ++i) {
            series->val.step.push_back(val_steps[i]);
            series->val.tokens.push_back(val_steps[i] * tokens_per_step);
            series->val.loss.push_back(val_losses[i]);
        }
        Run run;
        run.id = id;
        run.name = id;
        run.folder = "runs/" + id;
        run.group = group;
        run.seed = seed;
        run.color = color;
        run.started_unix = 1738324800;
        run.series = series;
        return std::make_shared<const Run>(run);
    }
};

}  // namespace headroom
