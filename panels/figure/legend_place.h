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

}  // namespace headroom
