#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/evaluations/task_results.h"

namespace headroom {

/// Zero-shot scores of one model, item by item: what `headroom eval --out` keeps.
struct EvaluationScores {
    std::string checkpoint;  ///< the file
    int64_t step = -1;       ///< of training, -1 if unknown
    std::string tokenizer, precision;
    std::vector<TaskResults> tasks;

    /// The task of that name, or nullptr.
    const TaskResults* find(const std::string& task) const;
};

/// Writes headroom-eval/1 (datasets/README.md). EnvironmentError where writing fails.
void write_scores(const EvaluationScores& scores, const std::filesystem::path& path);

/// UserError for a file of another kind, and for one whose numbers do not fit together.
EvaluationScores read_scores(const std::filesystem::path& path);

}  // namespace headroom
