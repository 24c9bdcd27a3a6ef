#include "panels/lab/lab_figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

/// The least and greatest value that an axis can show.
class Extent {
  public:
    explicit Extent(bool log) : log_(log) {}

    bool shows(double value) const { return std::isfinite(value) && (!log_ || value > 0); }
    void add(double value) {
        if (!shows(value)) return;
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
    }
    bool empty() const { return least_ > most_; }
    /// With a little room at both ends; `from_zero` for columns.
    Range range(bool from_zero) const {
        if (empty()) return {};
        if (log_) return {least_ / 1.15, most_ * 1.15};
        const double lower = from_zero ? std::min(0.0, least_) : least_;
        const double room = most_ > lower ? 0.05 * (most_ - lower) : 0.5;
        return {from_zero && lower == 0 ? 0 : lower - room, most_ + room};
    }

  private:
    bool log_;
    double least_ = HUGE_VAL, most_ = -HUGE_VAL;
};

struct XY {
    std::vector<double> x, y;
};

/// The series from left to right, without what the axes cannot show.
XY shown_points(const LabSeries& series, const Extent& along_x, const Extent& along_y) {
    std::vector<size_t> order(series.x.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return series.x[a] < series.x[b]; });
    XY points;
    for (const size_t i : order) {
        if (!along_x.shows(series.x[i]) || !along_y.shows(series.y[i])) continue;
        points.x.push_back(series.x[i]);
        points.y.push_back(series.y[i]);
    }
    return points;
}

/// Half the distance of neighbours, so that the columns of a histogram touch; less where several
/// series of few columns stand side by side.
double half_width_of(const XY& points) {
    double least = HUGE_VAL;
    for (size_t i = 1; i < points.x.size(); ++i)
        least = std::min(least, points.x[i] - points.x[i - 1]);
    if (std::isfinite(least)) return least / 2;
    return points.x.empty() ? 0.5 : std::max(std::abs(points.x[0]) / 4, 1e-9);
}

void add_columns(Figure& figure, const LabSeries& series, const XY& points, int color, int index,
                 int members) {
    const bool grouped = points.x.size() <= 12;  // few columns: beside each other, not over
    const double whole = half_width_of(points) * (grouped ? 0.8 : 1);
    const double half = grouped ? whole / members : whole;
    for (size_t i = 0; i < points.x.size(); ++i) {
        const double shift = grouped ? (2 * index + 1 - members) * half : 0;
        FigureBar bar{series.name, points.x[i], half, 0, points.y[i], color, ""};
        bar.offset = shift;
        bar.is_part = true;
        bar.see_through = members > 1 && !grouped;
        figure.bars.push_back(std::move(bar));
    }
}

void add_line(Figure& figure, const LabSeries& series, const XY& points, int color) {
    LineStyle style = part_style(color);
    style.line = series.style == LabSeries::Style::kLine;
    if (!style.line || points.x.size() <= 12) style.marker = Marker::kCircle;
    figure.series.push_back(
        {series.name, series.name, "value", make_curve(points.x, points.y), style, series.name});
}

}  // namespace

const LabChart& find_chart(const LabResult& result, const std::string& name) {
    std::vector<std::string> names;
    for (const LabChart& chart : result.charts) {
        if (name.empty() || chart.name == name) return chart;
        names.push_back(chart.name);
    }
    if (names.empty()) throw UserError("the experiment has no chart", "let it run to its end");
    throw UserError(fmt::format("there is no chart \"{}\"", name),
                    fmt::format("give {}", fmt::join(names, ", ")));
}

Figure build_lab_figure(const LabChart& chart) {
    Figure figure;
    figure.x.label = chart.x_label;
    figure.x.column = std::string(1, 'x');  // GCC 12 warns falsely of assigned literals
    figure.y.label = chart.y_label;
    figure.y.column = std::string(1, 'y');
    figure.x.scale = chart.log_x ? AxisScale::kLog : AxisScale::kLinear;
    figure.y.scale = chart.log_y ? AxisScale::kLog : AxisScale::kLinear;
    figure.footnote = chart.note;
    figure.legend = LegendPlace::kBelow;
    Extent along_x(chart.log_x), along_y(chart.log_y);
    const auto members = static_cast<int>(std::count_if(
        chart.series.begin(), chart.series.end(),
        [](const LabSeries& one) { return one.style == LabSeries::Style::kColumns; }));
    int color = 0, index = 0;
    for (const LabSeries& series : chart.series) {
        const XY points = shown_points(series, along_x, along_y);
        for (const double y : points.y) along_y.add(y);
        if (series.style == LabSeries::Style::kColumns) {
            add_columns(figure, series, points, color++, index++, members);
            const double half = half_width_of(points);
            for (const double x : points.x) {
                along_x.add(x - half);
                along_x.add(x + half);
            }
        } else {
            add_line(figure, series, points, color++);
            for (const double x : points.x) along_x.add(x);
        }
    }
    figure.x.range = along_x.range(false);
    figure.x.names = chart.x_names;
    if (!chart.x_names.empty())
        figure.x.range = {0.5, static_cast<double>(chart.x_names.size()) + 0.5};
    figure.y.range = along_y.range(members > 0);
    if (along_x.empty()) figure.empty_text = "no numbers yet";
    return figure;
}

}  // namespace headroom
