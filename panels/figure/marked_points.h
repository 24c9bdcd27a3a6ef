#pragma once

#include <vector>

#include "panels/figure/clip.h"

namespace headroom {

/// The points of a series that get a symbol, inside the frame of `width` pixels. With a marker: all
/// while there is room, else every 2nd, 4th, 8th … of the series, so that symbols stay on their
/// points when the figure is moved. Without one: those that no line would show, between two gaps or
/// alone.
std::vector<Point> marked_points(const FigureSeries& series, const Frame& frame, int width);

}  // namespace headroom
