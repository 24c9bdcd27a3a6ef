#pragma once

#include <string>

#include "app/eval_options.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// A zero-shot evaluation of a checkpoint, as asked for on the command line.
struct EvalTaskOptions {
    std::string task;   ///< NAME:FILE
    int64_t limit = 0;  ///< items; 0: all
};

/// Scores every item of the task and prints accuracy, length-normalised accuracy, for LAMBADA
/// perplexity, and their standard errors; as JSON with every item's numbers. UserError for a bad
/// task, file or tokenizer.
void evaluate_task(const WeightSource& weights, const EvalOptions& options,
                   const EvalTaskOptions& task, bool json);

}  // namespace headroom
