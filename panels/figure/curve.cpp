#include "panels/figure/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/float_bounds.h"

namespace headroom {
namespace {

constexpr size_t kPointsPerBlock = 32;
constexpr size_t kFewPerColumn = 4;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Right edges of the columns in x.
double column_edge(Range x, int column, int columns, AxisScale scale) {
    const double t = static_cast<double>(column + 1) / columns;
    if (scale == AxisScale::kLinear) return x.lower + t * x.size();
    return x.lower * std::pow(x.upper / x.lower, t);
}

void append_points(const Curve& curve, size_t begin, size_t end, std::vector<Point>& out) {
    for (size_t i = begin; i < end; ++i) out.push_back({curve.x()[i], curve.y()[i]});
}

/// The at most four points that stand for [begin, end).
void append_column(const Curve& curve, size_t begin, size_t end, std::vector<Point>& out) {
    if (end - begin <= kFewPerColumn) return append_points(curve, begin, end, out);
    const Curve::Extremes found = curve.extremes(begin, end);
    if (found.least == Curve::kNone) return append_points(curve, begin, begin + 1, out);
    std::vector<size_t> picked = {begin, found.least, found.greatest, end - 1};
    std::sort(picked.begin(), picked.end());
    picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
    for (const size_t i : picked) {
        const bool edge_gap = std::isnan(curve.y()[i]);
        if (!edge_gap) out.push_back({curve.x()[i], curve.y()[i]});
    }
}

}  // namespace

Curve::Curve(Column x, Column y) : x_(std::move(x)), y_(std::move(y)) {
    CHECK(x_->size() == y_->size(), "a curve needs one y for every x");
    CHECK(std::is_sorted(x_->begin(), x_->end()), "the x of a curve must not decrease");
    build_levels();
}

Curve::Curve(std::shared_ptr<const CurveOutline> outline, Column x, Column y, Range points)
    : Curve(std::move(x), std::move(y)) {
    CHECK(outline->size() > 0 && outline->x->size() == outline->size() + 1 &&
              outline->greatest.size() == outline->size(),
          "every stretch of an outline needs a beginning and its extremes");
    outline_ = std::move(outline);
    points_ = points;
}

bool Curve::has_points(Range range) const {
    if (!is_outlined()) return true;
    const Range all{outline_->x->front(), outline_->x->back()};
    return std::max(range.lower, all.lower) >= points_.lower &&
           std::min(range.upper, all.upper) <= points_.upper && !x_->empty();
}

void Curve::include(size_t index, Extremes& into) const {
    const std::vector<double>& y = *y_;
    if (index == kNone || !std::isfinite(y[index])) return;
    if (into.least == kNone || y[index] < y[into.least]) into.least = index;
    if (into.greatest == kNone || y[index] > y[into.greatest]) into.greatest = index;
}

void Curve::include(const Extremes& other, Extremes& into) const {
    include(other.least, into);
    include(other.greatest, into);
}

void Curve::build_levels() {
    size_t below = y_->size();
    while (below > kPointsPerBlock) {
        const size_t blocks = (below + kPointsPerBlock - 1) / kPointsPerBlock;
        std::vector<Extremes> level(blocks);
        for (size_t i = 0; i < below; ++i)
            if (levels_.empty())
                include(i, level[i / kPointsPerBlock]);
            else
                include(levels_.back()[i], level[i / kPointsPerBlock]);
        levels_.push_back(std::move(level));
        below = blocks;
    }
}

Curve::Extremes Curve::extremes(size_t begin, size_t end) const {
    Extremes result;
    // Climb while whole blocks remain; take the ragged ends on every level. As in a segment tree.
    for (size_t level = 0; begin < end; ++level) {
        const auto take = [&](size_t i) {
            if (level == 0)
                include(i, result);
            else
                include(levels_[level - 1][i], result);
        };
        if (level == levels_.size()) {
            for (size_t i = begin; i < end; ++i) take(i);
            break;
        }
        while (begin < end && begin % kPointsPerBlock != 0) take(begin++);
        while (begin < end && end % kPointsPerBlock != 0) take(--end);
        begin /= kPointsPerBlock;
        end /= kPointsPerBlock;
    }
    return result;
}

size_t Curve::lower_index(double value) const {
    return static_cast<size_t>(std::lower_bound(x_->begin(), x_->end(), value) - x_->begin());
}

size_t Curve::upper_index(double value) const {
    return static_cast<size_t>(std::upper_bound(x_->begin(), x_->end(), value) - x_->begin());
}

Column make_column(std::vector<double> values) {
    return std::make_shared<const std::vector<double>>(std::move(values));
}

CurveData make_curve(Column x, Column y) {
    return std::make_shared<const Curve>(std::move(x), std::move(y));
}

CurveData make_curve(std::vector<double> x, std::vector<double> y) {
    return make_curve(make_column(std::move(x)), make_column(std::move(y)));
}

CurveData outline_if_long(const CurveData& curve, Range points) {
    if (curve->size() <= kMostPoints || curve->is_outlined()) return curve;
    constexpr size_t kMostStretches = kMostPoints / 2;
    const auto x = curve->x(), y = curve->y();
    const size_t stretch = (curve->size() + kMostStretches - 1) / kMostStretches;
    CurveOutline outline;
    std::vector<double> begins;
    for (size_t begin = 0; begin < x.size(); begin += stretch) {
        const auto [least, greatest] = curve->extremes(begin, std::min(begin + stretch, x.size()));
        const bool any = least != Curve::kNone;
        begins.push_back(x[begin]);
        outline.least.push_back(any ? float_not_above(y[least]) : kInfinity);
        outline.greatest.push_back(any ? float_not_below(y[greatest]) : -kInfinity);
    }
    begins.push_back(x.back());
    outline.x = make_column(std::move(begins));
    size_t begin = curve->lower_index(points.lower), end = curve->upper_index(points.upper);
    if (begin > 0) --begin;
    if (end < x.size()) ++end;
    if (end - std::min(begin, end) > kMostPoints) begin = end = 0;
    const auto part = [&](std::span<const double> all) {
        return make_column(
            {all.begin() + static_cast<long>(begin), all.begin() + static_cast<long>(end)});
    };
    return std::make_shared<const Curve>(std::make_shared<const CurveOutline>(std::move(outline)),
                                         part(x), part(y), points);
}

namespace {

/// Of the outline: for each column that stretches begin in, their least and greatest value at the
/// column's first and last beginning. Columns without values are gaps.
std::vector<Point> outlined_envelope(const CurveOutline& outline, Range x, int columns,
                                     AxisScale scale) {
    const std::vector<double>& begins = *outline.x;
    const auto first = std::upper_bound(begins.begin(), begins.end() - 1, x.lower) - begins.begin();
    std::vector<Point> out;
    out.reserve(2 * static_cast<size_t>(columns) + 2);
    size_t at = first > 0 ? static_cast<size_t>(first) - 1 : 0;
    for (int column = 0; column < columns && at < outline.size(); ++column) {
        const double edge = column_edge(x, column, columns, scale);
        const size_t from = at;
        float least = kInfinity, greatest = -kInfinity;
        for (; at < outline.size() && begins[at] <= edge; ++at) {
            least = std::min(least, outline.least[at]);
            greatest = std::max(greatest, outline.greatest[at]);
        }
        if (at == from) continue;
        if (least > greatest) least = greatest = std::numeric_limits<float>::quiet_NaN();
        out.push_back({begins[from], least});
        out.push_back({begins[at - 1], greatest});
    }
    return out;
}

}  // namespace

std::vector<Point> envelope(const Curve& curve, Range x, int columns, AxisScale scale) {
    CHECK(columns > 0, "an envelope needs at least one column");
    if (!curve.has_points(x) && x.size() > 0) {
        const double least = curve.outline().x->front();
        if (scale == AxisScale::kLog && x.lower <= 0) x.lower = least > 0 ? least : x.upper / 1e6;
        return outlined_envelope(curve.outline(), x, columns, scale);
    }
    const bool log = scale == AxisScale::kLog;
    const size_t first_positive = log ? curve.upper_index(0) : 0;
    if (first_positive == curve.size() || !(x.size() > 0)) return {};
    if (log && x.lower <= 0) x.lower = std::min(curve.x()[first_positive], x.upper / 10);

    const size_t inside = std::max(curve.lower_index(x.lower), first_positive);
    const size_t begin = inside > first_positive ? inside - 1 : inside;
    const size_t end = std::min(curve.upper_index(x.upper) + 1, curve.size());
    std::vector<Point> out;
    if (end - begin <= kFewPerColumn * static_cast<size_t>(columns)) {
        append_points(curve, begin, end, out);
        return out;
    }
    out.reserve(kFewPerColumn * static_cast<size_t>(columns) + 2);
    append_points(curve, begin, inside, out);
    size_t from = inside;
    for (int column = 0; column < columns; ++column) {
        size_t to = curve.upper_index(column_edge(x, column, columns, scale));
        if (column == columns - 1) to = std::max(to, curve.upper_index(x.upper));
        if (to > from) append_column(curve, from, to, out);
        from = std::max(from, to);
    }
    append_points(curve, std::min(from, end), end, out);
    return out;
}

}  // namespace headroom
