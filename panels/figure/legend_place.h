#pragma once

#include "panels/figure/figure.h"

namespace headroom {

/// The corner in which a legend of the given size (as a share of the drawing area) hides no curve
/// and least of the raw lines and bands: the top right one if all are alike, as losses fall.
/// `current`, where the legend is already, wins while nothing is behind it, so that a legend does
/// not jump about during a run. kBelow if every corner would hide a curve or the legend takes more
/// than half of the height.
LegendPlace free_corner(const Figure& figure, double width_share, double height_share,
                        LegendPlace current = LegendPlace::kTopRight);

/// How a legend below the axes is laid out.
struct LegendGrid {
    int columns = 1;
    int entry_width = 0;  ///< pixels for each entry
    int shown = 0;        ///< entries that have room
};

/// For entries of `entry_width` pixels in a figure of `width` by `height`: as many columns as fit;
/// more and narrower ones if the legend would take over 40 % of the height; and if that does not do
/// either, not all entries are shown.
LegendGrid legend_grid(int entries, int entry_width, int line_height, int width, int height);

}  // namespace headroom
