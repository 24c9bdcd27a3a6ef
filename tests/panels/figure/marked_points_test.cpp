#include "panels/figure/marked_points.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr double kNoPoint = std::numeric_limits<double>::quiet_NaN();

FigureSeries series_of(std::vector<double> y, Marker marker) {
    std::vector<double> x(y.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    FigureSeries series;
    series.data = make_curve(std::move(x), std::move(y));
    series.style.marker = marker;
    return series;
}

TEST(MarkedPoints, AllWhileThereIsRoom) {
    const FigureSeries series = series_of({1, 1, 1}, Marker::kCircle);
    EXPECT_EQ(marked_points(series, {{0, 10}, {0, 2}}, 400).size(), 3u);
}

TEST(MarkedPoints, StayOnTheSamePointsWhenTheFigureIsMoved) {
    const FigureSeries series = series_of(std::vector<double>(1000, 1.0), Marker::kCircle);
    const auto here = marked_points(series, {{0, 499}, {0, 2}}, 440);
    const auto there = marked_points(series, {{100, 599}, {0, 2}}, 440);
    ASSERT_FALSE(here.empty());
    EXPECT_LE(here.size(), 21u);
    for (const Point& point : here) {
        if (point.x < 100) continue;
        EXPECT_EQ(std::count(there.begin(), there.end(), point), 1) << point.x;
    }
}

TEST(MarkedPoints, WithoutAMarkerOnlyPointsThatNoLineReaches) {
    const Frame frame{{0, 10}, {0, 2}};
    EXPECT_EQ(marked_points(series_of({1}, Marker::kNone), frame, 400).size(), 1u);
    EXPECT_EQ(marked_points(series_of({1, kNoPoint, 1, 1}, Marker::kNone), frame, 400),
              (std::vector<Point>{{0, 1}}));
    EXPECT_TRUE(marked_points(series_of({1, 1}, Marker::kNone), frame, 400).empty());
    FigureSeries raw = series_of({1}, Marker::kNone);  // behind a smoothed one, which marks it
    raw.style.faint = true;
    EXPECT_TRUE(marked_points(raw, frame, 400).empty());
}

}  // namespace
}  // namespace headroom
