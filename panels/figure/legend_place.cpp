#include "panels/figure/legend_place.h"

#include <array>
#include <cmath>
#include <vector>

#include "panels/figure/clip.h"

namespace headroom {
namespace {

constexpr int kColumns = 150;
constexpr double kStep = 1.0 / kColumns;
constexpr double kMargin = 0.03;

/// Points along all visible lines, in shares of the drawing area, close enough to each other that
/// no line crosses a legend unseen.
std::vector<Point> dots_along_lines(const Figure& figure) {
    const Frame frame = frame_of(figure);
    std::vector<Point> dots;
    for (const FigureSeries& series : figure.series) {
        if (!series.visible || !series.data || series.style.faint) continue;
        const auto line =
            clip_line(envelope(*series.data, frame.x, kColumns, frame.x_scale), frame);
        for (size_t i = 0; i + 1 < line.size(); ++i) {
            const double x0 = place_on(frame.x, frame.x_scale, line[i].x);
            const double y0 = place_on(frame.y, frame.y_scale, line[i].y);
            const double x1 = place_on(frame.x, frame.x_scale, line[i + 1].x);
            const double y1 = place_on(frame.y, frame.y_scale, line[i + 1].y);
            const double length = std::hypot(x1 - x0, y1 - y0);
            if (!std::isfinite(length)) continue;
            const int parts = 1 + static_cast<int>(length / kStep);
            for (int p = 0; p <= parts; ++p) {
                const double t = static_cast<double>(p) / parts;
                dots.push_back({x0 + t * (x1 - x0), y0 + t * (y1 - y0)});
            }
        }
    }
    return dots;
}

bool is_free(LegendPlace place, double width, double height, const std::vector<Point>& dots) {
    const bool right = place == LegendPlace::kTopRight || place == LegendPlace::kBottomRight;
    const bool top = place == LegendPlace::kTopRight || place == LegendPlace::kTopLeft;
    for (const Point& dot : dots) {
        const double from_side = right ? 1 - dot.x : dot.x;
        const double from_edge = top ? 1 - dot.y : dot.y;
        if (from_side < width + kMargin && from_edge < height + kMargin) return false;
    }
    return true;
}

}  // namespace

LegendPlace free_corner(const Figure& figure, double width_share, double height_share,
                        LegendPlace current) {
    if (height_share > 0.5 || width_share > 0.8) return LegendPlace::kBelow;
    const std::vector<Point> dots = dots_along_lines(figure);
    const std::array corners = {current, LegendPlace::kTopRight, LegendPlace::kBottomLeft,
                                LegendPlace::kTopLeft, LegendPlace::kBottomRight};
    for (const LegendPlace corner : corners)
        if (corner != LegendPlace::kBelow && is_free(corner, width_share, height_share, dots))
            return corner;
    return LegendPlace::kBelow;
}

}  // namespace headroom
