#pragma once

#include "panels/figure/figure.h"

namespace headroom {

/// The corner in which a legend of the given size (as a share of the drawing area) hides least of
/// the curves: the top right one if free, as losses fall; then the others. `current`, where the
/// legend is already, wins while it is free, so that a legend does not jump about during a run.
/// kBelow if every corner would hide a curve or the legend takes more than half of the height.
LegendPlace free_corner(const Figure& figure, double width_share, double height_share,
                        LegendPlace current = LegendPlace::kTopRight);

}  // namespace headroom
