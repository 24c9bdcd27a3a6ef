#pragma once

#include "panels/figure/heatmap_arrangement.h"

namespace headroom {

// lay_out_heatmaps() and natural_heatmap_height() of a figure whose maps stand in a grid: small,
// without axes of their own, with the numbers of rows and columns left of and above them.

/// REQUIRES: figure.grid, and a map.
HeatmapLayout lay_out_grid(const HeatmapFigure& figure, QSizeF size, bool dark);
double natural_grid_height(const HeatmapFigure& figure, double width);

}  // namespace headroom
