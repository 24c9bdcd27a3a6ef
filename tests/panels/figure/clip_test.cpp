#include "panels/figure/clip.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Frame kFrame{{0, 10}, {0, 10}};

/// Hundredths, "x,y " for a point and "| " for a gap.
std::string shown(const std::vector<Point>& line) {
    std::string out;
    for (const Point& p : line)
        out += std::isnan(p.y) ? "| "
                               : std::to_string(std::lround(p.x * 100)) + "," +
                                     std::to_string(std::lround(p.y * 100)) + " ";
    return out;
}

TEST(ClipLine, LeavesALineInsideAlone) {
    EXPECT_EQ(shown(clip_line({{1, 1}, {5, 9}, {9, 2}}, kFrame)), "100,100 500,900 900,200 ");
}

TEST(ClipLine, CutsAtTheEdges) {
    EXPECT_EQ(shown(clip_line({{-5, 5}, {15, 5}}, kFrame)), "0,500 1000,500 | ");
    EXPECT_EQ(shown(clip_line({{0, 0}, {4, 20}}, kFrame)), "0,0 200,1000 | ");
}

TEST(ClipLine, LeavesAGapWhereTheLineIsOutside) {
    EXPECT_EQ(shown(clip_line({{1, 5}, {2, 15}, {3, 15}, {4, 5}}, kFrame)),
              "100,500 150,1000 | 350,1000 400,500 ");
}

TEST(ClipLine, CutsInTheScaleOfTheAxis) {
    const Frame log{{1, 100}, {0, 10}, AxisScale::kLog, AxisScale::kLinear};
    // Straight on the log axis from 0.1 (place -0.5) to 10 (place 0.5): half way is x = 1.
    EXPECT_EQ(shown(clip_line({{0.1, 0}, {10, 8}}, log)), "100,400 1000,800 ");
}

TEST(ClipLine, NaNIsAGap) {
    EXPECT_EQ(shown(clip_line({{1, 1}, {2, 2}, {3, kNaN}, {4, 4}, {5, 5}}, kFrame)),
              "100,100 200,200 | 400,400 500,500 ");
}

TEST(ClipLine, NothingSticksOutOfTheFrame) {
    std::vector<Point> line;
    for (int i = 0; i < 400; ++i) line.push_back({i * 0.05 - 5, 30 * std::sin(i * 0.7)});
    for (const Point& p : clip_line(line, kFrame)) {
        if (std::isnan(p.y)) continue;
        EXPECT_TRUE(p.x >= -1e-9 && p.x <= 10 + 1e-9 && p.y >= -1e-9 && p.y <= 10 + 1e-9);
    }
}

TEST(ClampLine, HoldsABandInsideTheFrame) {
    EXPECT_EQ(shown(clamp_line({{-1, 5}, {5, 50}, {6, kNaN}, {11, -3}}, kFrame)),
              "0,500 500,1000 1000,0 ");
}

TEST(OutOfSight, NamesWhatLiesOutsideOnAllSidesAndNothingThatCrosses) {
    Figure figure;
    figure.x.range = figure.y.range = {0, 10};
    const auto add = [&](const std::string& id, std::vector<double> x, std::vector<double> y) {
        figure.series.push_back({id, id, "value", make_curve(std::move(x), std::move(y)), {}, id});
        return &figure.series.back();
    };
    add("inside", {1, 9}, {5, 5});
    add("above", {1, 9}, {11, 30});
    add("left", {-9, -1}, {5, 5});
    add("crosses", {4, 6}, {-50, 50});
    add("reaches in", {1, 5, 9}, {20, 9.5, 20});
    add("two", {1, 9}, {20, 20});
    add("two", {1, 9}, {3, 3});
    add("no number", {1, 9}, {kNaN, kNaN});
    add("hidden", {1, 9}, {20, 20})->visible = false;
    add("markers", {4, 6}, {-50, 50})->style.line = false;
    EXPECT_EQ(out_of_sight(figure), (std::vector<std::string>{"above", "left", "markers"}));
    figure.y.range = {0, 40};
    EXPECT_EQ(out_of_sight(figure), (std::vector<std::string>{"left", "markers"}));
}

TEST(OutOfSight, OneSpikeAmongManyPointsIsSeen) {
    std::vector<double> x, y;
    for (int i = 0; i < 20000; ++i) {
        x.push_back(i);
        y.push_back(i == 12345 ? 5 : 100);
    }
    Figure figure;
    figure.x.range = {0, 20000};
    figure.y.range = {0, 10};
    figure.series.push_back({"a", "a", "value", make_curve(std::move(x), std::move(y)), {}, "a"});
    EXPECT_TRUE(out_of_sight(figure).empty());
    figure.x.range = {0, 12000};
    EXPECT_EQ(out_of_sight(figure), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace headroom
