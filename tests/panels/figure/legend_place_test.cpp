#include "panels/figure/legend_place.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

Figure with_line(std::vector<double> x, std::vector<double> y) {
    Figure figure;
    figure.x.range = {0, 1};
    figure.y.range = {0, 1};
    FigureSeries series;
    series.data = make_curve(std::move(x), std::move(y));
    figure.series.push_back(series);
    return figure;
}

TEST(FreeCorner, IsTopRightForAFallingLoss) {
    EXPECT_EQ(free_corner(with_line({0, 0.2, 1}, {1, 0.2, 0.1}), 0.3, 0.3), LegendPlace::kTopRight);
}

TEST(FreeCorner, AvoidsALineThatOnlyPassesThrough) {
    // No point of the line lies in the top right corner, but the line crosses it.
    EXPECT_NE(free_corner(with_line({0, 1}, {0.5, 0.95}), 0.3, 0.3), LegendPlace::kTopRight);
}

// Else a variant of one point vanishes behind the legend.
TEST(FreeCorner, HidesNoMarkAndNoColumn) {
    EXPECT_NE(free_corner(with_line({0.9}, {0.9}), 0.3, 0.3), LegendPlace::kTopRight);
    Figure marks = with_line({0.1, 0.9}, {0.5, 0.9});
    marks.series[0].style.line = false;
    EXPECT_NE(free_corner(marks, 0.3, 0.3), LegendPlace::kTopRight);
    Figure column = with_line({0.1}, {0.5});
    column.bars.push_back({"bar", 0.9, 0.05, 0, 0.95, 0, ""});
    EXPECT_NE(free_corner(column, 0.3, 0.3), LegendPlace::kTopRight);
}

// An interval of which the legend hides the upper half looks like a narrower one.
TEST(FreeCorner, HidesNoBand) {
    Figure banded = with_line({0, 1}, {0.5, 0.5});
    banded.bands.push_back(
        {"b", "mean", make_curve({0.6, 1.0}, {0.5, 0.5}), make_curve({0.6, 1.0}, {0.9, 0.9})});
    EXPECT_EQ(free_corner(banded, 0.3, 0.3, LegendPlace::kTopRight), LegendPlace::kBottomLeft);
}

TEST(FreeCorner, StaysWhereItIsWhileThatIsFree) {
    const Figure flat = with_line({0, 1}, {0.5, 0.5});
    EXPECT_EQ(free_corner(flat, 0.3, 0.3, LegendPlace::kBottomLeft), LegendPlace::kBottomLeft);
    const Figure rising = with_line({0, 1}, {0, 1});
    EXPECT_EQ(free_corner(rising, 0.3, 0.3, LegendPlace::kBottomLeft), LegendPlace::kTopLeft);
}

TEST(FreeCorner, IsBelowWhereEveryCornerIsTaken) {
    const Figure falling = with_line({0, 0.2, 1}, {1, 0.2, 0.1});
    EXPECT_EQ(free_corner(falling, 0.3, 0.6), LegendPlace::kBelow);
    const Figure zigzag = with_line({0, 0.1, 0.2, 0.8, 0.9, 1}, {0, 1, 0, 0, 1, 0});
    EXPECT_EQ(free_corner(zigzag, 0.3, 0.3), LegendPlace::kBelow);
}

TEST(LegendGrid, TakesAsManyColumnsAsFit) {
    const LegendGrid grid = legend_grid(9, 100, 16, 640, 400);
    EXPECT_EQ(grid.columns, 6);
    EXPECT_EQ(grid.shown, 9);
    EXPECT_EQ(legend_grid(2, 100, 16, 640, 400).columns, 2);
}

TEST(LegendGrid, NarrowsBeforeItTakesTheRoomOfTheCurves) {
    const LegendGrid grid = legend_grid(22, 300, 16, 510, 326);
    EXPECT_EQ(grid.columns, 3);
    EXPECT_EQ(grid.entry_width, 170);
    EXPECT_EQ(grid.shown, 22);
}

TEST(LegendGrid, LeavesEntriesOutWhenThereAreTooMany) {
    const LegendGrid grid = legend_grid(200, 300, 16, 312, 200);
    EXPECT_EQ(grid.columns, 2);
    EXPECT_EQ(grid.shown, 10);
}

}  // namespace
}  // namespace headroom
