#include "panels/scaling/scaling_figure.h"

#include <algorithm>
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

Range around(double least, double greatest) {
    return {least / 1.15, greatest * 1.15};
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
    double least_x = 1e300, greatest_x = 0, least_y = 1e300, greatest_y = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
        const ScalingLine& line = lines[i];
        const ScalingPoint& first = line.points.front();
        const ScalingPoint& last = line.points.back();
        std::vector<double> x, measured, expected;
        for (const ScalingPoint& point : line.points) {
            x.push_back(one_size ? point.size : point.size / first.size);
            measured.push_back(1e3 * point.seconds);
            expected.push_back(1e3 * last.seconds * point.cost / last.cost);
            least_x = std::min(least_x, x.back());
            greatest_x = std::max(greatest_x, x.back());
            least_y = std::min({least_y, measured.back(), expected.back()});
            greatest_y = std::max({greatest_y, measured.back(), expected.back()});
        }
        const ScalingExponents exponents = exponents_of(line);
        const Column sizes = make_column(std::move(x));
        LineStyle style;
        style.color = static_cast<int>(i);
        style.dash = LineDash::kDash;
        style.width_pt = 1;
        const std::string name = fmt::format("{} over {}", line.name, line.size_name);
        figure.series.push_back({name, name, "expected",
                                 make_curve(sizes, make_column(std::move(expected))), style, "",
                                 true});
        style.dash = LineDash::kSolid;
        style.width_pt = LineStyle{}.width_pt;
        style.marker = static_cast<Marker>(1 + static_cast<int>(i) % kMarkers);
        figure.series.push_back(
            {name, name, "measured", make_curve(sizes, make_column(std::move(measured))), style,
             fmt::format("{}: power {:.2f} ({} {:.2f})", name, exponents.measured, line.cost_name,
                         exponents.expected),
             true});
    }
    figure.x.range = around(least_x, greatest_x);
    figure.y.range = around(least_y, greatest_y);
    figure.legend = LegendPlace::kBelow;
    figure.height_in = 4.2;
    figure.footnote = fmt::format(
        "dashed: as the cost grows, through the largest size · powers over the three largest · {}",
        result.device);
    return figure;
}

}  // namespace headroom
