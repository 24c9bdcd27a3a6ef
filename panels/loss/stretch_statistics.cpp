#include "panels/loss/stretch_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "panels/figure/csv_text.h"

namespace headroom {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// All points of a curve that there are here between two places of x.
const CurvePoints& points_in(const LossCurve& curve, Range x) {
    const bool close = curve.is_sampled() && curve.close && !curve.close->x->empty() &&
                       curve.close->x->front() <= std::max(x.lower, curve.x->front()) &&
                       curve.close->x->back() >= std::min(x.upper, curve.x->back());
    return close ? *curve.close : curve;
}

/// Means first, so that nothing is lost where x are billions of tokens.
void add_slope(StretchRow& row, std::span<const double> x, std::span<const double> y) {
    double mean_x = 0;
    for (size_t i = 0; i < x.size(); ++i)
        if (std::isfinite(y[i])) mean_x += x[i] / static_cast<double>(row.points);
    double sxx = 0, sxy = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(y[i])) continue;
        sxx += (x[i] - mean_x) * (x[i] - mean_x);
        sxy += (x[i] - mean_x) * (y[i] - row.mean);
    }
    row.slope = sxx > 0 ? sxy / sxx : kNone;
}

StretchRow row_of(const LossCurve& curve, Range range) {
    const CurvePoints& points = points_in(curve, range);
    const std::vector<double>& all = *points.x;
    const auto begin = std::lower_bound(all.begin(), all.end(), range.lower) - all.begin();
    const auto end = std::upper_bound(all.begin(), all.end(), range.upper) - all.begin();
    const auto count = static_cast<size_t>(std::max<std::ptrdiff_t>(0, end - begin));
    const std::span x = std::span(all).subspan(static_cast<size_t>(begin), count);
    const std::span y = std::span(*points.raw).subspan(static_cast<size_t>(begin), count);
    StretchRow row{.name = curve.name, .color = curve.color, .shade = curve.shade};
    row.mean = row.least = row.greatest = row.least_x = row.greatest_x = row.slope = kNone;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!std::isfinite(y[i])) continue;
        if (row.points == 0 || y[i] < row.least) row.least = y[i], row.least_x = x[i];
        if (row.points == 0 || y[i] > row.greatest) row.greatest = y[i], row.greatest_x = x[i];
        sum += y[i];
        ++row.points;
    }
    if (row.points == 0) return row;
    row.mean = sum / static_cast<double>(row.points);
    add_slope(row, x, y);
    return row;
}

}  // namespace

StretchStatistics stretch_statistics(const LossView& view, Range x) {
    StretchStatistics statistics{x, view.figure.x, view.figure.y, {}};
    const bool both = std::any_of(view.curves.begin(), view.curves.end(), [&](const auto& curve) {
        return curve.kind != view.curves.front().kind;
    });
    for (const LossCurve& curve : view.curves) {
        if (!curve.visible || curve.x->empty()) continue;
        statistics.rows.push_back(row_of(curve, x));
        if (both) statistics.rows.back().name += curve.kind == LossKind::kTrain ? " train" : " val";
    }
    return statistics;
}

bool is_whole(const LossView& view, Range x) {
    return std::all_of(view.curves.begin(), view.curves.end(), [&](const LossCurve& curve) {
        return !curve.visible || !curve.is_sampled() || &points_in(curve, x) != &curve;
    });
}

StretchStatistics stretch_statistics(const LossView& view, std::span<const RunPointer> runs,
                                     const LossSettings& settings, Range x) {
    if (is_whole(view, x)) return stretch_statistics(view, x);
    return stretch_statistics(build_loss(runs, settings, {.all_points = true}), x);
}

std::string stretch_csv(const StretchStatistics& statistics) {
    std::string csv;
    const std::string x = statistics.x_axis.column;
    append_csv_comment(csv, "from " + x, csv_number(statistics.x.lower));
    append_csv_comment(csv, "to " + x, csv_number(statistics.x.upper));
    append_csv_comment(csv, "of", statistics.y_axis.column);
    csv += fmt::format("run,points,mean,min,min_at_{0},max,max_at_{0},slope_per_{0}\n", x);
    for (const StretchRow& row : statistics.rows)
        csv += fmt::format("{},{},{},{},{},{},{},{}\n", csv_quoted(row.name), row.points,
                           csv_number(row.mean), csv_number(row.least), csv_number(row.least_x),
                           csv_number(row.greatest), csv_number(row.greatest_x),
                           csv_number(row.slope));
    return csv;
}

}  // namespace headroom
