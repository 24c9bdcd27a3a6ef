#pragma once

#include "core/graph/graph.h"

namespace headroom {

/// Puts the working copies into MemoryLayout::kPanels of which every reader takes that: for a graph
/// that multiplies many times by the same weights, and is run on the CPU (Device::weight_layout).
void put_weights_into_panels(Graph& graph);

}  // namespace headroom
