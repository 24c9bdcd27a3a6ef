#include "panels/figure/marks_aside.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;

using Numbers = std::vector<double>;

void add_series(Figure& figure, const std::string& id, const Numbers& x, const Numbers& y) {
    figure.series.push_back({id, id, "value", make_curve(x, y), {}, ""});
}

/// A marker at (x, y), and a bar of half_height each way.
void add_mark(Figure& figure, const std::string& id, double x, double y, double half_height) {
    add_series(figure, id, {x}, {y});
    figure.bands.push_back({id, id, make_curve(Numbers{x}, Numbers{y - half_height}),
                            make_curve(Numbers{x}, Numbers{y + half_height})});
}

Figure empty_figure() {
    Figure figure;
    figure.x.range = {0, 10};
    figure.y.range = {0, 10};
    return figure;
}

std::vector<double> asides(const Figure& figure) {
    std::vector<double> result;
    for (size_t i = 0; i < figure.series.size(); ++i) {
        result.push_back(figure.series[i].aside);
        if (i < figure.bands.size()) {
            EXPECT_EQ(figure.bands[i].aside, result[i]);
        }
    }
    return result;
}

TEST(MarksAside, ThoseThatHideEachOtherStandInTheOrderOfTheFigure) {
    Figure figure = empty_figure();
    add_mark(figure, "b", 3, 5.1, 1);
    add_mark(figure, "a", 3, 5.0, 1);
    add_mark(figure, "c", 3, 6.5, 1);  // overlaps b alone, and so goes with both
    EXPECT_TRUE(set_marks_aside(figure));
    EXPECT_THAT(asides(figure), ElementsAre(-8, 0, 8));
}

// Else one reads the other's x.
TEST(MarksAside, NoneIsTakenForOneOfAnotherXOrLeavesTheFigure) {
    Figure figure = empty_figure();
    for (const char* id : {"a", "b", "c"}) add_mark(figure, id, 3, 5, 1);
    add_mark(figure, "near", 3.1, 5, 1);
    for (const char* id : {"d", "e", "f"}) add_mark(figure, id, 9.9, 5, 1);
    EXPECT_TRUE(set_marks_aside(figure));
    const double inch = figure.width_in * 72;
    const std::vector<double> found = asides(figure);
    EXPECT_NEAR(found[0], -0.004 * inch, 1e-9);  // 0.4 of the way to 3.1
    EXPECT_NEAR(found[2], 0.004 * inch, 1e-9);
    EXPECT_NEAR(found[6], 0.01 * inch, 1e-9);  // the edge
}

TEST(MarksAside, ThoseThatAreSeenStayOnTheirX) {
    Figure figure = empty_figure();
    add_mark(figure, "low", 3, 2, 1);
    add_mark(figure, "high", 3, 8, 1);
    add_mark(figure, "beside", 4, 2, 1);
    EXPECT_FALSE(set_marks_aside(figure));
    EXPECT_THAT(asides(figure), ElementsAre(0, 0, 0));
}

TEST(MarksAside, LinesStayAndHiddenMarksDoNotCount) {
    Figure figure = empty_figure();
    add_mark(figure, "a", 3, 5, 1);
    add_mark(figure, "hidden", 3, 5, 1);
    figure.series.back().visible = figure.bands.back().visible = false;
    add_series(figure, "line", {1, 3, 5}, {5, 5, 5});
    // Two parts of one id at different x are no mark either.
    add_series(figure, "parts", {3}, {5});
    add_series(figure, "parts", {4}, {5});
    EXPECT_FALSE(set_marks_aside(figure));
    EXPECT_THAT(asides(figure), ElementsAre(0, 0, 0, 0, 0));
}

TEST(MarksAside, ManyTakeAQuarterOfTheWidthAtMost) {
    Figure figure = empty_figure();
    figure.width_in = 3;
    for (int i = 0; i < 28; ++i) add_mark(figure, std::to_string(i), 3, 5, 1);
    EXPECT_TRUE(set_marks_aside(figure));
    EXPECT_DOUBLE_EQ(figure.series.front().aside, -27);
    EXPECT_DOUBLE_EQ(figure.series.back().aside, 27);
}

}  // namespace
}  // namespace headroom
