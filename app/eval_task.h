#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/eval_options.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// Zero-shot evaluations of a checkpoint, as asked for on the command line.
struct EvalTaskOptions {
    std::vector<std::string> tasks;  ///< NAME:FILE
    int64_t limit = 0;               ///< items of each; 0: all
    std::string out;                 ///< a file of scores to write, or ""
    std::string against;             ///< one of another model to compare with, or ""
    std::string harness;             ///< a JSON file as lm-evaluation-harness writes it, or ""
    bool json = false;
};

/// Scores every item of the tasks and prints accuracy, length-normalised accuracy, for LAMBADA
/// perplexity, and their standard errors. UserError for a bad task, file or tokenizer, and where
/// the other model was asked other items.
void evaluate_tasks(const WeightSource& weights, const EvalOptions& options,
                    const EvalTaskOptions& asked);

}  // namespace headroom
