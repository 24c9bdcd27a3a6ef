#pragma once

#include <string>

#include "panels/architecture/architecture_view.h"
#include "panels/architecture/drawing_layout.h"

namespace headroom {

/// The block of one kind of layer in detail, in a frame of its own: what it projects, what it takes
/// from elsewhere, its MLP, its norms and its skips, with sizes. Flows upwards. Ids begin with
/// `prefix`. Which projections there are is read from the model's list of tensors.
DrawingLayout lay_out_block(const ArchitectureView& view, int kind, const std::string& prefix);

}  // namespace headroom
