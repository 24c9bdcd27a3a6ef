#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/stats/sample_mean.h"

namespace headroom {

class WeightSource;

/// How well a model does a zero-shot task by one measure.
struct TaskScore {
    std::string task;     ///< "piqa"
    std::string measure;  ///< "acc"
    SampleMean mean;      ///< over the items
};

/// Scores weights on zero-shot tasks (split_tasks), on at most `limit` items of each (0: all).
/// `tell` hears now and then what share of a task is scored, and may throw to end the scoring.
using TaskScorer =
    std::function<std::vector<TaskScore>(const WeightSource& weights, const std::string& tasks,
                                         int64_t limit, const std::function<void(double)>& tell)>;

}  // namespace headroom
