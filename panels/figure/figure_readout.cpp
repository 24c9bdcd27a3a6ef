#include "panels/figure/figure_readout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/figure/clip.h"
#include "panels/figure/ticks.h"

namespace headroom {
namespace {

constexpr double kNearPixels = 18;
constexpr int kReadoutDigits = 5;

std::string line_of(const FigureAxis& axis, double value) {
    return axis.label.empty() ? axis_text(axis, value)
                              : fmt::format("{}: {}", axis.label, axis_text(axis, value));
}

/// The one drawn last is on top.
const FigureBar* bar_at(const Figure& figure, Point value) {
    for (size_t i = figure.bars.size(); i-- > 0;) {
        const FigureBar& bar = figure.bars[i];
        if (value.x >= bar.left() && value.x <= bar.right() &&
            value.y >= std::min(bar.lower, bar.upper) && value.y <= std::max(bar.lower, bar.upper))
            return &bar;
    }
    return nullptr;
}

std::vector<std::string> lines_of(const FigureBar& bar, const Figure& figure) {
    std::vector<std::string> lines{bar.name};
    if (bar.role != "bar") lines.front() += ", " + bar.role;
    lines.push_back(line_of(figure.x, bar.x));
    lines.push_back(line_of(figure.y, bar.upper - bar.lower));
    if (bar.lower != 0)
        lines.back() += fmt::format(" (from {} to {})", axis_text(figure.y, bar.lower),
                                    axis_text(figure.y, bar.upper));
    return lines;
}

struct Nearest {
    const FigureSeries* series = nullptr;
    size_t point = 0;
    double pixels = kNearPixels;
};

/// Looks at the points of a series around the pointer.
void look_at(const FigureSeries& series, const Frame& frame, Point at, Point size,
             Nearest& nearest) {
    const Curve& curve = *series.data;
    const double reach = kNearPixels / size.x, moved = at.x - series.aside / size.x;
    const size_t begin = curve.lower_index(value_at(frame.x, frame.x_scale, moved - reach));
    const size_t end = curve.upper_index(value_at(frame.x, frame.x_scale, moved + reach));
    for (size_t i = begin; i < end; ++i) {
        const double x = place_on(frame.x, frame.x_scale, curve.x()[i]);
        const double y = place_on(frame.y, frame.y_scale, curve.y()[i]);
        const double pixels = std::hypot((x - moved) * size.x, (y - at.y) * size.y);
        if (pixels < nearest.pixels) nearest = {&series, i, pixels};
    }
}

std::string band_text(const Figure& figure, const std::string& id, double x) {
    for (const FigureBand& band : figure.bands) {
        if (band.id != id || !band.visible || !band.lower || !band.upper) continue;
        const size_t i = band.lower->lower_index(x);
        if (i >= band.lower->size() || i >= band.upper->size() || band.lower->x()[i] != x) continue;
        return fmt::format("{} to {}", axis_text(figure.y, band.lower->y()[i]),
                           axis_text(figure.y, band.upper->y()[i]));
    }
    return {};
}

std::vector<std::string> lines_of(const Nearest& nearest, const Figure& figure) {
    const FigureSeries& series = *nearest.series;
    const double x = series.data->x()[nearest.point];
    std::vector<std::string> lines{series.name, line_of(figure.x, x)};
    if (series.has_values) lines.push_back(line_of(figure.y, series.data->y()[nearest.point]));
    if (const std::string band = band_text(figure, series.id, x); !band.empty())
        lines.push_back("band: " + band);
    return lines;
}

}  // namespace

std::string axis_text(const FigureAxis& axis, double value) {
    const double whole = std::round(value);
    const bool is_whole = std::abs(value - whole) < 1e-9 && std::abs(value) < 1e15;
    if (is_whole && whole >= 1 && whole <= static_cast<double>(axis.names.size()))
        return axis.names[static_cast<size_t>(whole) - 1];
    if (axis.format == NumberFormat::kDuration) return format_duration(value);
    const bool counts = axis.format == NumberFormat::kCount || axis.format == NumberFormat::kWhole;
    if (is_whole && (counts || std::abs(value) < 1e6) && axis.format != NumberFormat::kSigned)
        return format_integer(static_cast<int64_t>(whole));
    const double size = std::abs(value);
    const int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
    return tick_label(value, axis.format, std::clamp(kReadoutDigits - before, 0, 8));
}

std::vector<std::string> figure_readout(const Figure& figure, Point at, double width,
                                        double height) {
    const Frame frame = frame_of(figure);
    Nearest nearest;
    for (const FigureSeries& series : figure.series)
        if (series.visible && series.data && !series.data->is_outlined())
            look_at(series, frame, at, {std::max(width, 1.0), std::max(height, 1.0)}, nearest);
    if (nearest.series) return lines_of(nearest, figure);
    const Point value{value_at(frame.x, frame.x_scale, at.x),
                      value_at(frame.y, frame.y_scale, at.y)};
    if (const FigureBar* bar = bar_at(figure, value)) return lines_of(*bar, figure);
    return {};
}

}  // namespace headroom
