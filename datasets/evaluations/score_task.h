#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/weights/weight_source.h"
#include "datasets/evaluations/evaluation_task.h"
#include "datasets/evaluations/task_results.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// A task that was asked for, with the items of its file.
struct AskedTask {
    const EvaluationTask* kind = nullptr;
    std::string file;
    std::vector<EvaluationItem> items;
};

/// Of "NAME:FILE" each, at most `limit` items of a file (0: all). UserError for what is no such
/// text, for a task that stands twice, and as read_evaluation().
std::vector<AskedTask> read_asked_tasks(std::span<const std::string> specs, int64_t limit);

/// Every item by a model. `tell`, if given, hears how many choices of how many are scored.
/// UserError as score_continuations().
TaskResults score_task(const WeightSource& weights, const AskedTask& task,
                       const Tokenizer& tokenizer, DType precision, Device& device,
                       const std::function<void(size_t done, size_t all)>& tell = nullptr);

}  // namespace headroom
