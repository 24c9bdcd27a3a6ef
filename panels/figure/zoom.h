#pragma once

#include "panels/figure/clip.h"

namespace headroom {

/// Changes of the visible ranges. Places are shares of the drawing area, (0, 0) at the lower left;
/// what is under the pointer stays under it, on linear and log scales alike. A range that would
/// become empty, endless or too narrow for a double comes back unchanged.

/// factor < 1 comes nearer.
Frame zoomed(const Frame& frame, Point at, double x_factor, double y_factor);
/// Moves the content by this share of the drawing area.
Frame panned(const Frame& frame, double dx, double dy);
/// The part between two opposite corners.
Frame boxed(const Frame& frame, Point corner, Point opposite);

}  // namespace headroom
