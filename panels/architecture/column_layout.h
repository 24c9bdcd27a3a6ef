#pragma once

#include <vector>

#include "panels/architecture/architecture_view.h"
#include "panels/architecture/drawing_layout.h"
#include "panels/architecture/layer_rows.h"

namespace headroom {

/// The whole model from its tokens below to its logits above: one box for each row, keys left and
/// values right in it, and the edges from each source layer to the layers that read it. Ids:
/// "layer.3" (0-based), "layer.3.keys", "embedding", "positions", "ln_f", "head".
DrawingLayout lay_out_column(const ArchitectureView& view, const std::vector<LayerRow>& rows);

}  // namespace headroom
