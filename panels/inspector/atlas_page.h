#pragma once

#include "panels/figure/heatmap.h"
#include "panels/figure/page_export.h"

namespace headroom {

/// All heads as a page: a grid of maps, layers downwards and heads to the right, with one colour
/// bar. The figure's panels are the heads, layer by layer. A height of 0: as the grid needs.
FigurePage atlas_page(HeatmapFigure figure, int n_head, bool dark);

}  // namespace headroom
