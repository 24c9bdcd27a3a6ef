#include "panels/figure/marked_points.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

constexpr size_t kPixelsPerMarker = 22;
constexpr size_t kMostLonely = 2000;

bool is_inside(const Curve& curve, size_t i, const Frame& frame) {
    return frame.x.contains(curve.x()[i]) && frame.y.contains(curve.y()[i]);
}

bool is_gap(const Curve& curve, size_t i) {
    return i >= curve.size() || !std::isfinite(curve.y()[i]);
}

}  // namespace

std::vector<Point> marked_points(const FigureSeries& series, const Frame& frame, int width) {
    const Curve& curve = *series.data;
    if (!curve.has_points(frame.x)) return {};
    const size_t begin = curve.lower_index(frame.x.lower), end = curve.upper_index(frame.x.upper);
    const bool lonely_only = series.style.marker == Marker::kNone && series.style.line;
    std::vector<Point> points;
    size_t stride = 1;
    if (lonely_only) {
        if (end - begin > kMostLonely || series.style.faint) return points;
    } else {
        const size_t room = std::max<size_t>(2, static_cast<size_t>(width) / kPixelsPerMarker);
        while ((end - begin) / stride > room) stride *= 2;
    }
    for (size_t i = (begin + stride - 1) / stride * stride; i < end; i += stride) {
        if (is_gap(curve, i) || !is_inside(curve, i, frame)) continue;
        if (lonely_only && !(is_gap(curve, i - 1) && is_gap(curve, i + 1))) continue;
        points.push_back({curve.x()[i], curve.y()[i]});
    }
    return points;
}

}  // namespace headroom
