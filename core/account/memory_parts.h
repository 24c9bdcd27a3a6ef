#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/plan.h"

namespace headroom {

/// Tensors of one heading that belong together: the weights of a layer's MLP, the moments of its
/// attention. Copies in a narrower type count with their weights.
struct MemoryPart {
    std::string heading;  ///< weights, gradients or optimizer, as in kMemoryHeadings
    int layer = -1;       ///< 0-based; -1: of no layer
    std::string name;     ///< "attention", "MLP", "norms", "embedding", "positions", "output head"
    int64_t bytes = 0;    ///< in the arena, alignment included

    bool operator==(const MemoryPart&) const = default;
};

/// The parts of all headings that are held per tensor, in the order of the graph; of each heading
/// they add up to the ledger's bytes.
std::vector<MemoryPart> memory_parts(const Graph& graph);

}  // namespace headroom
