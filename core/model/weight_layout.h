#pragma once

#include "core/device/device.h"
#include "core/graph/graph.h"

namespace headroom {

/// Lays out the weights of a finished graph, which multiplies many times by the same ones, as the
/// device wants them that will run it: working copies are put into
/// MemoryLayout::kPanels of which every node that reads or makes them takes that.
void lay_out_weights(Graph& graph, const Device& device, DType precision);

}  // namespace headroom
