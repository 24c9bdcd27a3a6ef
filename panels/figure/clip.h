#pragma once

#include <string>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// A figure's drawing area in the coordinates of its axes.
struct Frame {
    Range x, y;
    AxisScale x_scale = AxisScale::kLinear;
    AxisScale y_scale = AxisScale::kLinear;

    bool operator==(const Frame&) const = default;
};

Frame frame_of(const Figure& figure);

/// Where a value lies along an axis: 0 at the lower end, 1 at the upper, NaN if a log scale has no
/// place for it. Beyond the ends it goes on.
double place_on(Range range, AxisScale scale, double value);
double value_at(Range range, AxisScale scale, double place);

/// The parts of a polyline inside the frame, cut exactly at its edges (as the eye sees them: lines
/// are straight in the axes' scales), with a NaN point between parts. Points without a place are
/// gaps. SVG writers ignore clipping, so nothing may stick out.
std::vector<Point> clip_line(const std::vector<Point>& line, const Frame& frame);

/// Whose lines and markers all lie outside the figure's ranges, by id and in the order of the
/// figure: series of one id count together, hidden ones and those without a finite value do not
/// count.
std::vector<std::string> out_of_sight(const Figure& figure);

/// Values of a band's edge, held inside the frame.
std::vector<Point> clamp_line(const std::vector<Point>& line, const Frame& frame);

}  // namespace headroom
