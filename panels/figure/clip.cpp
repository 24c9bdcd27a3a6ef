#include "panels/figure/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The stretch [from, to] of a segment inside the unit square, by Liang and Barsky (1984).
struct Stretch {
    double from = 0, to = 1;
    bool empty() const { return !(from <= to); }
};

void cut(double start, double delta, Stretch& stretch) {
    if (delta == 0) {
        if (start < 0 || start > 1) stretch.to = -1;
        return;
    }
    const double at_lower = -start / delta, at_upper = (1 - start) / delta;
    stretch.from = std::max(stretch.from, std::min(at_lower, at_upper));
    stretch.to = std::min(stretch.to, std::max(at_lower, at_upper));
}

}  // namespace

Frame frame_of(const Figure& figure) {
    return {figure.x.range, figure.y.range, figure.x.scale, figure.y.scale};
}

double place_on(Range range, AxisScale scale, double value) {
    if (scale == AxisScale::kLinear) return (value - range.lower) / range.size();
    if (!(value > 0)) return kNaN;
    return std::log(value / range.lower) / std::log(range.upper / range.lower);
}

double value_at(Range range, AxisScale scale, double place) {
    if (scale == AxisScale::kLinear) return range.lower + place * range.size();
    return range.lower * std::pow(range.upper / range.lower, place);
}

std::vector<Point> clip_line(const std::vector<Point>& line, const Frame& frame) {
    std::vector<Point> out;
    const auto place = [&](Point p) {
        return Point{place_on(frame.x, frame.x_scale, p.x), place_on(frame.y, frame.y_scale, p.y)};
    };
    const auto value = [&](const Point& a, const Point& b, double t) {
        return Point{value_at(frame.x, frame.x_scale, a.x + t * (b.x - a.x)),
                     value_at(frame.y, frame.y_scale, a.y + t * (b.y - a.y))};
    };
    const auto gap = [&] {
        if (!out.empty() && !std::isnan(out.back().y)) out.push_back({out.back().x, kNaN});
    };
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        const Point a = place(line[i]), b = place(line[i + 1]);
        Stretch stretch;
        const bool drawn = std::isfinite(a.y) && std::isfinite(b.y) && std::isfinite(a.x);
        if (drawn) {
            cut(a.x, b.x - a.x, stretch);
            cut(a.y, b.y - a.y, stretch);
        }
        if (!drawn || stretch.empty()) {
            gap();
            continue;
        }
        const bool joined = i > 0 && !out.empty() && stretch.from == 0 && !std::isnan(out.back().y);
        if (!joined) {
            gap();
            out.push_back(stretch.from == 0 ? line[i] : value(a, b, stretch.from));
        }
        out.push_back(stretch.to == 1 ? line[i + 1] : value(a, b, stretch.to));
        if (stretch.to < 1) gap();
    }
    return out;
}

std::vector<Point> clamp_line(const std::vector<Point>& line, const Frame& frame) {
    std::vector<Point> out;
    for (const Point& point : line) {
        if (std::isnan(point.y)) continue;
        out.push_back({std::clamp(point.x, frame.x.lower, frame.x.upper),
                       std::clamp(point.y, frame.y.lower, frame.y.upper)});
    }
    return out;
}

/// Whether any of it would be drawn in this frame.
static bool is_in_sight(const FigureSeries& series, const Frame& frame) {
    constexpr int kColumns = 64;  // each keeps its extremes: what crosses the frame is found
    const std::vector<Point> line = envelope(*series.data, frame.x, kColumns, frame.x_scale);
    if (series.style.line && !clip_line(line, frame).empty()) return true;
    return std::any_of(line.begin(), line.end(), [&](const Point& p) {
        return frame.x.contains(p.x) && frame.y.contains(p.y);
    });
}

static bool has_values(const Curve& curve) {
    if (curve.is_outlined()) return true;
    return curve.extremes(0, curve.size()).least != Curve::kNone;
}

std::vector<std::string> out_of_sight(const Figure& figure) {
    const Frame frame = frame_of(figure);
    std::vector<std::string> ids;
    std::set<std::string> seen;
    for (const FigureSeries& series : figure.series) {
        if (!series.visible || !series.data || !has_values(*series.data)) continue;
        if (std::find(ids.begin(), ids.end(), series.id) == ids.end()) ids.push_back(series.id);
        if (!seen.contains(series.id) && is_in_sight(series, frame)) seen.insert(series.id);
    }
    std::erase_if(ids, [&](const std::string& id) { return seen.contains(id); });
    return ids;
}

}  // namespace headroom
