#include "panels/figure/zoom.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

/// Whether an axis can show this range with digits to spare.
bool is_sane(Range range, AxisScale scale) {
    if (!std::isfinite(range.lower) || !std::isfinite(range.upper)) return false;
    if (scale == AxisScale::kLog)
        return range.lower > 1e-100 && range.upper < 1e100 && range.upper / range.lower > 1.0001;
    const double largest = std::max(std::fabs(range.lower), std::fabs(range.upper));
    return range.size() > 1e-12 * largest && range.size() > 1e-100 && largest < 1e100;
}

/// The stretch between two places of a range.
Range between(Range range, AxisScale scale, double from, double to) {
    const Range result{value_at(range, scale, from), value_at(range, scale, to)};
    return is_sane(result, scale) ? result : range;
}

Frame part(const Frame& frame, double x_from, double x_to, double y_from, double y_to) {
    Frame result = frame;
    result.x = between(frame.x, frame.x_scale, x_from, x_to);
    result.y = between(frame.y, frame.y_scale, y_from, y_to);
    return result;
}

}  // namespace

Frame zoomed(const Frame& frame, Point at, double x_factor, double y_factor) {
    return part(frame, at.x * (1 - x_factor), at.x + (1 - at.x) * x_factor, at.y * (1 - y_factor),
                at.y + (1 - at.y) * y_factor);
}

Frame panned(const Frame& frame, double dx, double dy) {
    return part(frame, -dx, 1 - dx, -dy, 1 - dy);
}

Frame boxed(const Frame& frame, Point corner, Point opposite) {
    return part(frame, std::min(corner.x, opposite.x), std::max(corner.x, opposite.x),
                std::min(corner.y, opposite.y), std::max(corner.y, opposite.y));
}

}  // namespace headroom
