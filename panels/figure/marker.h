#pragma once

#include <qcustomplot.h>

#include "panels/base/rgb.h"
#include "panels/figure/figure.h"

namespace headroom {

/// The symbol of a line's points: filled, with a thin edge in the colour of the ground that keeps
/// it apart from what it lies on, or hollow. Marker::kNone gives a small disc, for points that no
/// line reaches.
QCPScatterStyle marker_style(const LineStyle& style, Rgb colour, Rgb ground);

}  // namespace headroom
