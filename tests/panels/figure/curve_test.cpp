#include "panels/figure/curve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Deterministic noise in [0, 1).
double noise(size_t i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>((z ^ (z >> 27)) >> 11) * 0x1p-53;
}

CurveData noisy_curve(size_t count) {
    std::vector<double> x(count), y(count);
    for (size_t i = 0; i < count; ++i) {
        x[i] = static_cast<double>(i + 1);
        y[i] = noise(i);
    }
    return make_curve(std::move(x), std::move(y));
}

TEST(Curve, ExtremesOfAnyStretchEqualAPlainScan) {
    const CurveData curve = noisy_curve(5000);
    const auto y = curve->y();
    const std::pair<long, long> stretches[] = {{0, 5000}, {0, 1},    {17, 18},     {31, 33},
                                               {32, 64},  {1, 4999}, {1023, 3073}, {4096, 5000}};
    for (const auto& [begin, end] : stretches) {
        const Curve::Extremes found =
            curve->extremes(static_cast<size_t>(begin), static_cast<size_t>(end));
        const auto [least, greatest] = std::minmax_element(y.begin() + begin, y.begin() + end);
        EXPECT_EQ(y[found.least], *least) << begin << ".." << end;
        EXPECT_EQ(y[found.greatest], *greatest) << begin << ".." << end;
    }
}

TEST(Curve, ExtremesPassOverNaN) {
    const CurveData curve = make_curve({1, 2, 3, 4}, {kMissing, 5, kMissing, 2});
    EXPECT_EQ(curve->extremes(0, 4).least, 3u);
    EXPECT_EQ(curve->extremes(0, 4).greatest, 1u);
    EXPECT_EQ(curve->extremes(2, 3).least, Curve::kNone);
    EXPECT_EQ(curve->extremes(2, 2).least, Curve::kNone);
}

TEST(Envelope, KeepsASingleSpikeAmongAMillionPoints) {
    std::vector<double> x(1'000'000), y(1'000'000, 2.0);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    y[765'432] = 9.0;
    y[123'456] = 0.5;
    const CurveData curve = make_curve(std::move(x), std::move(y));
    const auto drawn = envelope(*curve, {0, 1e6}, 500, AxisScale::kLinear);
    EXPECT_LE(drawn.size(), 4u * 500 + 2);
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), Point{765'432, 9.0}), 1);
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), Point{123'456, 0.5}), 1);
    EXPECT_TRUE(
        std::is_sorted(drawn.begin(), drawn.end(), [](Point a, Point b) { return a.x < b.x; }));
}

TEST(Envelope, EveryColumnSpansWhatItsPointsSpan) {
    const CurveData curve = noisy_curve(100'000);
    const Range range{20'000, 60'000};
    constexpr int kColumns = 100;
    const auto drawn = envelope(*curve, range, kColumns, AxisScale::kLinear);
    for (int column = 0; column < kColumns; ++column) {
        const double from = range.lower + column * 400.0, to = from + 400;
        double least = 2, greatest = -1, drawn_least = 2, drawn_greatest = -1;
        for (size_t i = 0; i < curve->size(); ++i)
            if (curve->x()[i] > from && curve->x()[i] <= to) {
                least = std::min(least, curve->y()[i]);
                greatest = std::max(greatest, curve->y()[i]);
            }
        for (const Point& point : drawn)
            if (point.x > from && point.x <= to) {
                drawn_least = std::min(drawn_least, point.y);
                drawn_greatest = std::max(drawn_greatest, point.y);
            }
        ASSERT_EQ(drawn_least, least) << "column " << column;
        ASSERT_EQ(drawn_greatest, greatest) << "column " << column;
    }
}

TEST(Envelope, ReachesOnePointBeyondEachEnd) {
    const CurveData curve = make_curve({0, 1, 2, 3, 4}, {0, 1, 2, 3, 4});
    const auto drawn = envelope(*curve, {1.5, 2.5}, 10, AxisScale::kLinear);
    EXPECT_EQ(drawn, (std::vector<Point>{{1, 1}, {2, 2}, {3, 3}}));
}

TEST(Envelope, LeavesOutWhatALogAxisHasNoPlaceFor) {
    const CurveData curve = make_curve({0, 1, 10, 100}, {9, 1, 2, 3});
    const auto drawn = envelope(*curve, {0.5, 200}, 10, AxisScale::kLog);
    EXPECT_EQ(drawn, (std::vector<Point>{{1, 1}, {10, 2}, {100, 3}}));
    EXPECT_TRUE(envelope(*make_curve({0.0}, {1.0}), {1, 2}, 10, AxisScale::kLog).empty());
}

TEST(Envelope, KeepsGaps) {
    const CurveData curve = make_curve({1, 2, 3}, {1, kMissing, 3});
    const auto drawn = envelope(*curve, {0, 4}, 10, AxisScale::kLinear);
    ASSERT_EQ(drawn.size(), 3u);
    EXPECT_TRUE(std::isnan(drawn[1].y));
}

TEST(Envelope, ShowsALongGapAtLowZoom) {
    std::vector<double> x(10'000), y(10'000, 1.0);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    for (size_t i = 4000; i < 6000; ++i) y[i] = kMissing;
    const auto drawn =
        envelope(*make_curve(std::move(x), std::move(y)), {0, 1e4}, 100, AxisScale::kLinear);
    EXPECT_TRUE(std::any_of(drawn.begin(), drawn.end(), [](Point p) { return std::isnan(p.y); }));
}

TEST(Envelope, OfNothingIsNothing) {
    const CurveData nothing = make_curve(std::vector<double>{}, {});
    EXPECT_TRUE(envelope(*nothing, {0, 1}, 10, AxisScale::kLinear).empty());
}

}  // namespace
}  // namespace headroom
