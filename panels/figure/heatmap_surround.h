#pragma once

#include "panels/figure/heatmap_arrangement.h"

namespace headroom {

// What stands around the maps of every heat map figure, however its maps are arranged: the title
// above, the colour bar beside them, legend and small print below. In pixels of 1/96 inch; all of
// this REQUIRES a QApplication.

inline constexpr double kMapBorder = 6;  ///< between a part of the figure and the page's edge
inline constexpr double kTickLength = 3, kTickPad = 2;

/// Heights of what stands above and below the maps, with the border.
double room_above(const HeatmapFigure& figure);
double room_below(const HeatmapFigure& figure, double width);
/// Width of the colour bar with its gap, its numbers and its label.
double bar_room(const HeatmapFigure& figure);

void add_title(HeatmapLayout& layout, const HeatmapFigure& figure);
/// The bar right of maps that end at `left`.
void add_bar(HeatmapLayout& layout, const HeatmapFigure& figure, double left, double top,
             double height);
/// Swatches of what is no value, and the small print. REQUIRES: the layout's oddities.
void add_below(HeatmapLayout& layout, const HeatmapFigure& figure, double top, bool dark);

}  // namespace headroom
