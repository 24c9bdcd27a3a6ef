#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace headroom {

/// Reverse-mode differentiation: appends to phase kBackward the nodes that compute the gradient of
/// every parameter on which an output depends, and of `extra_wanted` values. A seed is the gradient
/// of its output (kNoValue: the output is a loss whose gradient rule takes 1).
/// Returns the gradient of each parameter and extra value; parameters get Role::kGradient.
std::unordered_map<ValueId, ValueId> differentiate(
    Graph& graph, const std::vector<std::pair<ValueId, ValueId>>& outputs_and_seeds,
    const std::vector<ValueId>& extra_wanted = {});

}  // namespace headroom
