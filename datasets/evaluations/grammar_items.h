#pragma once

#include <cstdint>
#include <vector>

#include "datasets/evaluations/evaluation_task.h"

namespace headroom {

// Zero-shot items in the language of task:grammar, the same ones in every program and on every
// machine. Their random numbers are of a stream that no training reads.

/// Whether a verb agrees with its subject although a noun of the other number stands between them,
/// as in Linzen, Dupoux and Goldberg (2016): "Every day the bird near the trees" goes on with
/// "sings in the rain" and not with "sing in the rain". Half of the subjects are plural.
std::vector<EvaluationItem> grammar_agreement_items(int64_t count);

/// Whether a number is remembered: "... She has five grey cats and a paper lamp. So Mala still has"
/// goes on with that number and not with one of three others.
std::vector<EvaluationItem> grammar_recall_items(int64_t count);

}  // namespace headroom
