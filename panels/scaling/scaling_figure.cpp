#include "panels/scaling/scaling_figure.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr int kMarkers = 7;

std::vector<ScalingLine> lines_of(const ScalingResult& result, const std::string& size_name) {
    std::vector<ScalingLine> lines;
    std::vector<std::string> known;
    for (const ScalingLine& line : result.lines) {
        if (size_name.empty() || line.size_name == size_name) lines.push_back(line);
        if (std::find(known.begin(), known.end(), line.size_name) == known.end())
            known.push_back(line.size_name);
    }
    if (lines.empty())
        throw UserError(fmt::format("--size {} was not measured", size_name),
                        fmt::format("choose one of {}", fmt::join(known, ", ")));
    return lines;
}

/// What all lines that were drawn take up.
struct Extent {
    double least = std::numeric_limits<double>::infinity(), greatest = 0;

    void add(const std::vector<double>& values) {
        least = std::min(least, *std::min_element(values.begin(), values.end()));
        greatest = std::max(greatest, *std::max_element(values.begin(), values.end()));
    }
    Range with_margin() const { return {least / 1.15, greatest * 1.15}; }
};

/// Dashed what the cost says, then what was measured.
void add_line(Figure& figure, const ScalingLine& line, const Column& sizes,
              const std::vector<double>& expected, const std::vector<double>& measured) {
    const auto place = static_cast<int>(figure.series.size() / 2);
    const std::string name = fmt::format("{} over {}", line.name, line.size_name);
    LineStyle dashed;
    dashed.color = place;
    dashed.dash = LineDash::kDash;
    dashed.width_pt = 1;
    figure.series.push_back(
        {name, name, "expected", make_curve(sizes, make_column(expected)), dashed, "", true});
    LineStyle style;
    style.color = place;
    style.marker = static_cast<Marker>(1 + place % kMarkers);
    const ScalingExponents exponents = exponents_of(line);
    figure.series.push_back({name, name, "measured", make_curve(sizes, make_column(measured)),
                             style,
                             fmt::format("{}: power {:.2f} ({} {:.2f})", name, exponents.measured,
                                         line.cost_name, exponents.expected),
                             true});
}

/// What stayed as it was, where there are few lines to say it of.
std::string settings_of(const std::vector<ScalingLine>& lines) {
    constexpr size_t kMost = 2;
    std::string text;
    if (lines.size() > kMost) return text;
    for (const ScalingLine& line : lines) text += fmt::format("{}: {} · ", line.name, line.setting);
    return text;
}

}  // namespace

Figure build_scaling_figure(const ScalingResult& result, const std::string& size_name) {
    const std::vector<ScalingLine> lines = lines_of(result, size_name);
    const bool one_size = std::all_of(lines.begin(), lines.end(), [&](const ScalingLine& line) {
        return line.size_name == lines.front().size_name;
    });
    Figure figure;
    figure.x = {one_size ? lines.front().size_name : "size, times the smallest",
                one_size ? lines.front().size_name : "times_smallest",
                AxisScale::kLog,
                NumberFormat::kCount,
                {}};
    figure.y = {"time (ms)", "ms", AxisScale::kLog, NumberFormat::kPlain, {}};
    Extent across, up;
    for (const ScalingLine& line : lines) {
        const ScalingPoint& first = line.points.front();
        const ScalingPoint& last = line.points.back();
        std::vector<double> x, measured, expected;
        for (const ScalingPoint& point : line.points) {
            x.push_back(one_size ? point.size : point.size / first.size);
            measured.push_back(1e3 * point.seconds);
            expected.push_back(1e3 * last.seconds * point.cost / last.cost);
        }
        across.add(x);
        up.add(measured);
        up.add(expected);
        add_line(figure, line, make_column(std::move(x)), expected, measured);
    }
    figure.x.range = across.with_margin();
    figure.y.range = up.with_margin();
    figure.legend = LegendPlace::kBelow;
    figure.height_in = 4.2;
    figure.footnote = fmt::format(
        "{}dashed: as the cost grows, through the largest size · powers over the three largest · "
        "{}",
        settings_of(lines), result.device);
    return figure;
}

}  // namespace headroom
