#include "panels/figure/legend_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "panels/figure/clip.h"

namespace headroom {
namespace {

constexpr int kColumns = 150;
constexpr double kStep = 1.0 / kColumns;
constexpr double kMargin = 0.03;

/// Dots on the way from a to b, less than a legend's size apart.
void add_dots(Point a, Point b, std::vector<Point>& dots) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!std::isfinite(length)) return;
    const int parts = 1 + static_cast<int>(length / kStep);
    for (int p = 0; p <= parts; ++p) {
        const double t = static_cast<double>(p) / parts;
        dots.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
    }
}

Point place_of(Point point, const Frame& frame) {
    return {place_on(frame.x, frame.x_scale, point.x), place_on(frame.y, frame.y_scale, point.y)};
}

/// Dots all over a band.
void add_band(const FigureBand& band, const Frame& frame, std::vector<Point>& dots) {
    const auto lower = clamp_line(envelope(*band.lower, frame.x, kColumns, frame.x_scale), frame);
    const auto upper = clamp_line(envelope(*band.upper, frame.x, kColumns, frame.x_scale), frame);
    for (size_t i = 0; i < std::min(lower.size(), upper.size()); ++i)
        add_dots(place_of(lower[i], frame), place_of(upper[i], frame), dots);
}

/// A mark's extent.
void add_mark(Point place, std::vector<Point>& dots) {
    constexpr double kReach = 0.02;
    for (const double x : {-kReach, kReach})
        for (const double y : {-kReach, kReach}) dots.push_back({place.x + x, place.y + y});
}

/// What of a column is drawn.
void add_bar(const FigureBar& bar, const Frame& frame, std::vector<Point>& dots) {
    const auto at = [&](double x, double y) { return place_of({x, y}, frame); };
    for (const double x : {bar.left(), bar.middle(), bar.right()})
        add_dots(at(x, std::max(bar.lower, frame.y.lower)), at(x, bar.upper), dots);
}

/// Dots along all visible lines, marks and columns, in shares of the drawing area, close enough to
/// each other that no line or band crosses a legend unseen: an interval of which half is hidden is
/// read as a narrower one. With `all`, raw lines count as well.
std::vector<Point> dots_of(const Figure& figure, bool all) {
    const Frame frame = frame_of(figure);
    std::vector<Point> dots;
    for (const FigureBand& band : figure.bands)
        if (band.visible && band.lower && band.upper) add_band(band, frame, dots);
    for (const FigureSeries& series : figure.series) {
        if (!series.visible || !series.data || (series.style.faint && !all)) continue;
        const auto line =
            clip_line(envelope(*series.data, frame.x, kColumns, frame.x_scale), frame);
        if (series.style.line)
            for (size_t i = 0; i + 1 < line.size(); ++i)
                add_dots(place_of(line[i], frame), place_of(line[i + 1], frame), dots);
        if (!series.style.line || series.data->size() == 1)
            for (size_t i = 0; i < series.data->size(); ++i)
                add_mark(place_of({series.data->x()[i], series.data->y()[i]}, frame), dots);
    }
    for (const FigureBar& bar : figure.bars) add_bar(bar, frame, dots);
    return dots;
}

/// How many of the dots a legend in this corner would hide.
int count_hidden(LegendPlace place, double width, double height, const std::vector<Point>& dots) {
    const bool right = place == LegendPlace::kTopRight || place == LegendPlace::kBottomRight;
    const bool top = place == LegendPlace::kTopRight || place == LegendPlace::kTopLeft;
    return static_cast<int>(std::count_if(dots.begin(), dots.end(), [&](const Point& dot) {
        const double from_side = right ? 1 - dot.x : dot.x;
        const double from_edge = top ? 1 - dot.y : dot.y;
        return from_side < width + kMargin && from_edge < height + kMargin;
    }));
}

}  // namespace

LegendPlace free_corner(const Figure& figure, double width_share, double height_share,
                        LegendPlace current) {
    if (height_share > 0.5 || width_share > 0.8) return LegendPlace::kBelow;
    const std::vector<Point> lines = dots_of(figure, false), all = dots_of(figure, true);
    const std::array corners = {current, LegendPlace::kTopRight, LegendPlace::kBottomLeft,
                                LegendPlace::kTopLeft, LegendPlace::kBottomRight};
    LegendPlace best = LegendPlace::kBelow;
    int least = std::numeric_limits<int>::max();
    for (const LegendPlace corner : corners) {
        if (corner == LegendPlace::kBelow) continue;
        if (count_hidden(corner, width_share, height_share, lines) > 0) continue;
        const int hidden = count_hidden(corner, width_share, height_share, all);
        if (hidden >= least) continue;
        least = hidden;
        best = corner;
    }
    return best;
}

LegendGrid legend_grid(int entries, int entry_width, int line_height, int width, int height) {
    constexpr double kMostHeight = 0.4;
    constexpr int kNarrowest = 130;
    const int most_rows = std::max(1, static_cast<int>(kMostHeight * height) / line_height);
    LegendGrid grid;
    grid.columns = std::clamp(width / std::max(1, entry_width), 1, std::max(1, entries));
    if (grid.columns * most_rows < entries) {
        const int wanted = (entries + most_rows - 1) / most_rows;
        grid.columns = std::clamp(wanted, grid.columns, std::max(grid.columns, width / kNarrowest));
    }
    grid.entry_width = width / grid.columns;
    grid.shown = std::min(entries, grid.columns * most_rows);
    return grid;
}

}  // namespace headroom
