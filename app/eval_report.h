#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "datasets/evaluations/scores_file.h"

namespace headroom {

/// For a person: a block for each task with what the comparison says of it, if there is one, and
/// the mean accuracy over several tasks.
std::string scores_text(const EvaluationScores& scores,
                        const std::vector<TaskComparison>& comparisons);

/// With every item. One task's document is that of the task; of several they stand under "tasks",
/// with "average_acc".
nlohmann::ordered_json scores_json(const EvaluationScores& scores,
                                   const std::vector<TaskComparison>& comparisons);

/// The results file of lm-evaluation-harness: what its own tables and those who read it know.
/// `limit` as asked for, 0 for all items.
nlohmann::ordered_json harness_json(const EvaluationScores& scores, int64_t limit);

}  // namespace headroom
