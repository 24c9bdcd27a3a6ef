#include "panels/loss/long_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/stats/moving_average.h"
#include "panels/loss/loss_rows.h"

namespace headroom {
namespace {

using Block = SeriesPyramid::Block;

/// Of what a closer look takes in, margins included.
constexpr size_t kMostStretchesClose = 6'144;

/// Where a row lies on the x axis.
double place_of(int64_t step, int64_t tokens, double seconds, const Run& run, LossX x) {
    switch (x) {
        case LossX::kSteps:
            return static_cast<double>(step);
        case LossX::kSeconds:
            return seconds;
        case LossX::kWall:
            return seconds + run.started_unix;
        case LossX::kTokens:
        case LossX::kComputeShare:
            break;
    }
    return static_cast<double>(tokens);
}

/// Columns that grow together.
struct Growing {
    std::vector<uint32_t> rows;
    std::vector<double> x, seconds, raw, value;

    void add(size_t row, double at, double time, double logged, double smoothed) {
        rows.push_back(static_cast<uint32_t>(row));
        const double before = x.empty() ? -HUGE_VAL : x.back();
        x.push_back(std::isfinite(at) ? std::max(at, before) : std::isfinite(before) ? before : 0);
        seconds.push_back(time);
        raw.push_back(logged);
        value.push_back(smoothed);
    }
    void move_to(CurvePoints& points, bool smoothed) {
        points.rows = std::move(rows);
        points.x = make_column(std::move(x));
        points.seconds = make_column(std::move(seconds));
        points.raw = make_column(std::move(raw));
        points.value = smoothed ? make_column(std::move(value)) : points.raw;
    }
};

Column picked(const Column& all, const std::vector<size_t>& indices) {
    if (!all) return all;
    std::vector<double> out;
    out.reserve(indices.size());
    for (const size_t i : indices) out.push_back((*all)[i]);
    return make_column(std::move(out));
}

CurvePoints picked(const CurvePoints& all, const std::vector<size_t>& indices) {
    CurvePoints out;
    for (const size_t i : indices) out.rows.push_back(all.rows[i]);
    out.x = picked(all.x, indices);
    out.seconds = picked(all.seconds, indices);
    out.raw = picked(all.raw, indices);
    out.value = all.value == all.raw ? out.raw : picked(all.value, indices);
    out.lower = picked(all.lower, indices);
    out.upper = picked(all.upper, indices);
    return out;
}

/// Keeps every so many points of a long curve, and all of them in `close`.
void thin_out(LossCurve& curve, std::optional<Range> close) {
    const std::vector<double>& x = *curve.x;
    const auto index_of = [&](auto found) { return static_cast<size_t>(found - x.begin()); };
    std::vector<size_t> kept;
    if (close) {
        const size_t begin = index_of(std::lower_bound(x.begin(), x.end(), close->lower));
        const size_t end = index_of(std::upper_bound(x.begin(), x.end(), close->upper));
        if (end - begin <= kMostPoints)
            for (size_t i = begin; i < end; ++i) kept.push_back(i);
    }
    if (!kept.empty()) curve.close = std::make_shared<const CurvePoints>(picked(curve, kept));
    kept.clear();
    const size_t stretch = 1 + x.size() / (kMostPoints / 2);
    for (size_t i = 0; i < x.size(); i += stretch) kept.push_back(i);
    if (kept.back() + 1 < x.size()) kept.push_back(x.size() - 1);
    static_cast<CurvePoints&>(curve) = picked(curve, kept);
}

std::shared_ptr<const CurveOutline> outline_of(const LossCurve& curve, const SeriesPyramid& pyramid,
                                               bool raw) {
    CurveOutline outline{curve.x, {}, {}};
    outline.least.reserve(pyramid.blocks.size());
    outline.greatest.reserve(pyramid.blocks.size());
    for (const Block& block : pyramid.blocks) {
        outline.least.push_back(raw ? block.raw_least : block.least);
        outline.greatest.push_back(raw ? block.raw_greatest : block.greatest);
    }
    return std::make_shared<const CurveOutline>(std::move(outline));
}

bool is_smoothed(const SeriesPyramid& pyramid) {
    return pyramid.weight > 0 && !pyramid.is_constant();
}

void make_lines(LossCurve& curve, const CurvePoints& points, Range range,
                const LossSettings& settings) {
    const auto line = [&](const std::shared_ptr<const CurveOutline>& outline, const Column& y) {
        return std::make_shared<const Curve>(outline, points.x, y, range);
    };
    const bool with_raw = settings.raw_behind && settings.smoothing > 0;
    curve.value_line = line(curve.value_outline, points.value);
    curve.raw_line = with_raw ? line(curve.raw_outline, points.raw) : nullptr;
}

}  // namespace

std::optional<std::string> pyramid_series(LossKind kind, const LossSettings& settings) {
    const std::string series = settings.metric.empty() ? "train/loss" : settings.metric;
    if (kind != LossKind::kTrain || !is_pyramid_series(series)) return std::nullopt;
    return series;
}

void fill_from_pyramid(LossCurve& curve, const SeriesPyramid& pyramid,
                       const LossSettings& settings) {
    const bool smoothed = is_smoothed(pyramid);
    Growing points;
    size_t row = 0;
    const auto add = [&](const Block& at) {
        const Run& run = *curve.series.run;
        points.add(row, place_of(at.step, at.tokens, at.seconds, run, settings.x), at.seconds,
                   at.raw, smoothed ? at.value : at.raw);
    };
    for (const Block& block : pyramid.blocks) {
        add(block);
        row += static_cast<size_t>(pyramid.block_rows);
    }
    row = static_cast<size_t>(pyramid.rows) - 1;
    add(pyramid.last);
    points.move_to(curve, smoothed);
    curve.points = static_cast<size_t>(pyramid.rows);
    curve.raw_outline = outline_of(curve, pyramid, true);
    curve.value_outline = smoothed ? outline_of(curve, pyramid, false) : curve.raw_outline;
    look_from_afar(curve, settings);
}

void look_from_afar(LossCurve& curve, const LossSettings& settings) {
    CurvePoints none;
    none.x = none.raw = none.value = make_column({});
    make_lines(curve, none, {0, 0}, settings);
    curve.close = nullptr;
}

void look_closely(LossCurve& curve, const SeriesPyramid& pyramid, Range range,
                  const LossSettings& settings) {
    const auto stretch_of = [&](double x) {
        const auto end = curve.x->end() - 1;  // the last is a row, not a stretch
        const auto after = std::upper_bound(curve.x->begin(), end, x);
        return after == curve.x->begin() ? 0 : static_cast<size_t>(after - curve.x->begin()) - 1;
    };
    const auto block_rows = static_cast<size_t>(pyramid.block_rows);
    const size_t first = stretch_of(range.lower), last = stretch_of(range.upper);
    const size_t begin = first * block_rows;
    const size_t end = std::min((last + 2) * block_rows, static_cast<size_t>(pyramid.rows));
    // Where more are in sight, the stretches are as fine as the columns of any screen.
    if (end - begin > std::min(kMostPoints / 2, kMostStretchesClose * block_rows)) return;

    const Run& run = *curve.series.run;
    const TrainSeries& train = run.series->train;
    const bool smoothed = is_smoothed(pyramid);
    MovingAverage average(pyramid.weight, pyramid.blocks[first].average,
                          pyramid.blocks[first].averaged);
    Growing points;
    for (size_t row = begin; row < end; ++row) {
        const double seconds = train.seconds[row];
        const double raw = curve.series.loss(static_cast<uint32_t>(row));
        points.add(row, place_of(train.step[row], train.tokens[row], seconds, run, settings.x),
                   seconds, raw, smoothed ? average.next(raw) : raw);
    }
    auto close = std::make_shared<CurvePoints>();
    points.move_to(*close, smoothed);
    make_lines(curve, *close, range, settings);
    curve.close = std::move(close);
}

void finish_curve(LossCurve& curve, std::optional<Range> close, bool with_raw, bool all_points) {
    if (curve.value_line) return;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const Range points = close.value_or(Range{kNone, kNone});
    const auto line = [&](const Column& y) {
        const CurveData whole = make_curve(curve.x, y);
        return all_points ? whole : outline_if_long(whole, points);
    };
    curve.points = curve.rows.size();
    curve.value_line = line(curve.value);
    if (with_raw) curve.raw_line = line(curve.raw);
    if (curve.has_band()) {
        curve.lower_line = line(curve.lower);
        curve.upper_line = line(curve.upper);
    }
    if (!all_points && curve.rows.size() > kMostPoints) thin_out(curve, close);
}

Range with_margins(Range visible) {
    constexpr double kMargin = 0.25;
    return {visible.lower - kMargin * visible.size(), visible.upper + kMargin * visible.size()};
}

}  // namespace headroom
