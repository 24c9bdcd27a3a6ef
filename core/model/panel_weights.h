#pragma once

#include "core/device/device.h"
#include "core/graph/graph.h"

namespace headroom {

/// Lays out the weights of a finished graph, which multiplies many times by the same ones, as the
/// device wants them that will run it: working copies of which every reader takes
/// MemoryLayout::kPanels are put into it.
void lay_out_weights(Graph& graph, const Device& device, DType precision);

}  // namespace headroom
