#include "panels/loss/loss_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/study/figure_options.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::vector<RunPointer> two_runs() {
    return {ExampleRun{.id = "a", .group = "a"}.make(), ExampleRun{.id = "b", .group = "b"}.make()};
}

TEST(LossRecipe, SaysOnlyWhatIsNotTheDefault) {
    const StudyFigure figure = loss_recipe(two_runs(), {});
    EXPECT_EQ(figure.recipe, "loss");
    EXPECT_THAT(figure.runs, ElementsAre("a", "b"));
    EXPECT_THAT(figure.options, UnorderedElementsAre(Pair("x", "tokens"), Pair("smooth", "0.6")));
}

TEST(LossRecipe, LeavesOutWhatIsHiddenButNotTheBaseline) {
    LossSettings settings;
    settings.hidden = {"a", "b"};
    settings.baseline = "b";
    EXPECT_THAT(loss_recipe(two_runs(), settings).runs, ElementsAre("b"));
}

TEST(LossRecipe, AStudyTakesEveryOption) {
    LossSettings settings;
    settings.metric = "train/lr";
    settings.val = false;
    settings.smooth_val = settings.log_x = settings.log_y = settings.ignore_outliers = true;
    settings.raw_behind = settings.legend = false;
    settings.group_seeds = true;
    settings.baseline = "a";
    settings.x_range = {0, 123456.5};
    settings.y_range = {-0.25, 0.125};
    const StudyFigure figure = loss_recipe(two_runs(), settings);
    EXPECT_EQ(figure.options.size(), 15u);
    EXPECT_EQ(figure.options.at("x-range"), "0:123456.5");
    EXPECT_EQ(figure.options.at("y-range"), "-0.25:0.125");
    for (const auto& [option, value] : figure.options)
        EXPECT_THAT(study_figure_options("loss"), Contains(option)) << value;
    EXPECT_EQ(figure.options.at("no-legend"), "true");
}

// Rounded to six digits both ends of some hours were the same, and the figure was refused.
TEST(LossRecipe, AStretchOfADayStaysOne) {
    LossSettings settings;
    settings.x = LossX::kWall;
    settings.x_range = {1767866400, 1767870000.25};
    EXPECT_EQ(loss_recipe(two_runs(), settings).options.at("x-range"), "1767866400:1767870000.25");
}

}  // namespace
}  // namespace headroom
