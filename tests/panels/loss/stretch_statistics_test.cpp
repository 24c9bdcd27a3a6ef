#include "panels/loss/stretch_statistics.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::HasSubstr;

LossSettings stretch_settings() {
    LossSettings settings;
    settings.x = LossX::kSteps;
    return settings;
}

TEST(StretchStatistics, AreOfTheLoggedValuesBetweenTheEnds) {
    ExampleRun run{.losses = {9, 4, 2, 3, std::nanf(""), 1, 9}};
    run.val_steps = {3, 7};
    run.val_losses = {2.5f, 8};
    const std::vector<RunPointer> runs{run.make()};
    LossSettings settings = stretch_settings();
    settings.smoothing = 0.9;
    const StretchStatistics all = stretch_statistics(build_loss(runs, settings), {1.5, 6});
    ASSERT_EQ(all.rows.size(), 2u);
    const StretchRow& train = all.rows[0];
    EXPECT_EQ(train.name, "base-s1 train");
    EXPECT_EQ(train.points, 4);
    EXPECT_DOUBLE_EQ(train.mean, 2.5);
    EXPECT_EQ(train.least, 1);
    EXPECT_EQ(train.least_x, 6);
    EXPECT_EQ(train.greatest, 4);
    EXPECT_EQ(train.greatest_x, 2);
    // By hand: x = 2, 3, 4, 6 and y = 4, 2, 3, 1; sxy / sxx = -5.5 / 8.75.
    EXPECT_NEAR(train.slope, -5.5 / 8.75, 1e-12);
    EXPECT_EQ(all.rows[1].points, 1);
    EXPECT_TRUE(std::isnan(all.rows[1].slope)) << "of one evaluation";
    const StretchStatistics none = stretch_statistics(build_loss(runs, settings), {20, 30});
    EXPECT_EQ(none.rows[0].points, 0);
    EXPECT_TRUE(std::isnan(none.rows[0].mean));
}

TEST(StretchStatistics, OfALongRunAreOfAllItsPoints) {
    constexpr int kManySteps = 150'000;
    ExampleRun run;
    for (int i = 1; i <= kManySteps; ++i)
        run.losses.push_back(static_cast<float>(5 - i * 1e-5) + (i % 2 == 0 ? 0.25f : -0.25f));
    run.losses[77'777] = 9;
    const std::vector<RunPointer> runs{run.make()};
    const LossView view = build_loss(runs, stretch_settings());
    const Range stretch{70'001, 80'000};
    ASSERT_FALSE(is_whole(view, stretch)) << "the view keeps a sample";
    const StretchStatistics found = stretch_statistics(view, runs, stretch_settings(), stretch);
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_EQ(found.rows[0].points, 10'000);
    EXPECT_EQ(found.rows[0].greatest, 9);
    EXPECT_EQ(found.rows[0].greatest_x, 77'778);
    long double x = 0, y = 0, xx = 0, xy = 0;
    for (int step = 70'001; step <= 80'000; ++step) {
        const auto loss = static_cast<long double>(run.losses[static_cast<size_t>(step - 1)]);
        x += step, y += loss, xx += static_cast<long double>(step) * step, xy += step * loss;
    }
    const long double slope = (10'000 * xy - x * y) / (10'000 * xx - x * x);
    EXPECT_NEAR(found.rows[0].slope, static_cast<double>(slope), 1e-12);
}

TEST(StretchStatistics, AHiddenRunHasNoRow) {
    const std::vector<RunPointer> runs{
        ExampleRun{.losses = {4, 3, 2}}.make(),
        ExampleRun{.id = "other", .group = "other", .losses = {5, 4, 3}}.make()};
    LossSettings settings = stretch_settings();
    settings.hidden = {"base-s1"};
    const StretchStatistics shown = stretch_statistics(build_loss(runs, settings), {1, 3});
    ASSERT_EQ(shown.rows.size(), 1u);
    EXPECT_EQ(shown.rows[0].name, "other train");
}

TEST(StretchStatistics, OfSeedsAreOfTheirMean) {
    LossSettings settings = stretch_settings();
    settings.group_seeds = true;
    const std::vector<RunPointer> runs{
        ExampleRun{.losses = {4, 3, 2}}.make(),
        ExampleRun{.id = "base-s2", .seed = 2, .losses = {6, 5, 4}}.make()};
    const StretchStatistics found = stretch_statistics(build_loss(runs, settings), {1, 3});
    ASSERT_EQ(found.rows.size(), 1u);
    EXPECT_DOUBLE_EQ(found.rows[0].mean, 4);
    EXPECT_EQ(found.rows[0].least, 3);
    EXPECT_EQ(found.rows[0].greatest, 5);
    EXPECT_DOUBLE_EQ(found.rows[0].slope, -1);
}

TEST(StretchStatistics, CsvHasTheNumbersInFullAndNamesTheStretch) {
    const ExampleRun run{.id = "a, b", .losses = {3, 2, 1}};
    const std::vector<RunPointer> runs{run.make()};
    LossSettings settings = stretch_settings();
    settings.val = false;
    const std::string csv = stretch_csv(stretch_statistics(build_loss(runs, settings), {1, 3}));
    EXPECT_THAT(csv, HasSubstr("# from step: 1\n# to step: 3\n"));
    EXPECT_THAT(csv, HasSubstr("run,points,mean,min,min_at_step,max,max_at_step,slope_per_step\n"));
    EXPECT_THAT(csv, HasSubstr("\"a, b\",3,2,1,3,3,1,-1\n"));
}

}  // namespace
}  // namespace headroom
