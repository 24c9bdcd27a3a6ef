#pragma once

#include <string>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// What a person who points into a figure is told, a line for each: what it is, where it stands
/// along x, its value and what its band reaches from and to. Of a column that is the part under the
/// pointer, else the nearest point of a line or mark. Nothing where neither is near.
/// `at` is a share of the drawing area, (0, 0) at the lower left, which is so many pixels large;
/// the figure has the ranges that are visible.
std::vector<std::string> figure_readout(const Figure& figure, Point at, double width,
                                        double height);

/// A value as one reads it there: a name of the axis, "1,234", "2.1873", "+0.031".
std::string axis_text(const FigureAxis& axis, double value);

}  // namespace headroom
