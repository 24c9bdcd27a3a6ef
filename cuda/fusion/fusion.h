#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/plan.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// Adjacent nodes of one phase that one call computes.
struct Fusion {
    std::string name{};           ///< "linear + add_bias": its row of the benchmark
    std::vector<size_t> nodes{};  ///< of the graph, in their order
    /// Inputs, outputs and write modes of all of them, one node after the other; no op.
    Node node{};
    /// What the call reads until its end, and what it writes. The rest are values that exist only
    /// inside of it.
    std::vector<ValueId> reads{}, writes{};
    /// Also read, but each number before the one in its place is written.
    std::vector<ValueId> reads_in_place{};
    Kernel kernel{};
    OpCost cost{};
};

/// The nodes of a graph that could be computed together: no value is left out that somebody else
/// reads, that is a parameter, a gradient, a result, or kept by a probe. Each node is in one
/// fusion at most.
std::vector<Fusion> find_fusions(const Graph& graph);

/// Whether the call may run where the plan put its values: outputs may lie over inputs that die in
/// between, which the nodes one by one would have read before.
bool fits(const Fusion& fusion, const Plan& plan);

}  // namespace headroom::cuda
