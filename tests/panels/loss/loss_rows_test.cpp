#include "panels/loss/loss_rows.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::ElementsAre;

TEST(LossRows, OfAnUninterruptedRunAreAll) {
    const LossRows rows = loss_rows(ExampleRun{.losses = {3, 2, 1}}.make(), LossKind::kTrain);
    EXPECT_THAT(rows.kept, ElementsAre(0, 1, 2));
    EXPECT_TRUE(rows.superseded.empty());
}

TEST(LossRows, TheLastWordOnAStepCounts) {
    // Killed after step 4, resumed from a checkpoint of step 2, killed after 3, resumed once more.
    const ExampleRun run{.steps = {1, 2, 3, 4, 3, 3, 4, 5}, .losses = {9, 8, 7, 6, 5, 4, 3, 2}};
    const LossRows rows = loss_rows(run.make(), LossKind::kTrain);
    EXPECT_THAT(rows.kept, ElementsAre(0, 1, 5, 6, 7));
    EXPECT_THAT(rows.superseded, ElementsAre(ElementsAre(2, 3), ElementsAre(4)));
    EXPECT_THAT(rows.resumed, ElementsAre(4, 5));
}

TEST(LossRows, ARunStartedAnewReplacesEverything) {
    const ExampleRun run{.steps = {1, 2, 1}, .losses = {9, 8, 7}};
    EXPECT_THAT(loss_rows(run.make(), LossKind::kTrain).kept, ElementsAre(2));
}

TEST(XValues, AreStepsTokensSecondsOrTimeOfDay) {
    const LossRows rows =
        loss_rows(ExampleRun{.steps = {10, 20}, .losses = {3, 2}}.make(), LossKind::kTrain);
    EXPECT_THAT(x_values(rows, rows.kept, LossX::kSteps), ElementsAre(10, 20));
    EXPECT_THAT(x_values(rows, rows.kept, LossX::kTokens), ElementsAre(1000, 2000));
    EXPECT_THAT(x_values(rows, rows.kept, LossX::kSeconds), ElementsAre(5, 10));
    EXPECT_THAT(x_values(rows, rows.kept, LossX::kWall), ElementsAre(1738324805, 1738324810));
}

TEST(SecondsAt, ValidationTakesTheTimeOfTheStepBefore) {
    const ExampleRun run{.steps = {1, 2, 4},
                         .losses = {3, 2, 1},
                         .val_steps = {0, 2, 3, 4},
                         .val_losses = {4, 3, 2, 1}};
    const LossRows rows = loss_rows(run.make(), LossKind::kVal);
    const std::vector<double> seconds = seconds_at(rows, rows.kept);
    EXPECT_THAT(seconds, ElementsAre(0, 1, 1, 2));
    for (const uint32_t row : rows.kept) EXPECT_EQ(seconds_at(rows, row), seconds[row]);
}

TEST(SecondsAt, NeverRunBackWhateverTheLogSays) {
    RunPointer run = ExampleRun{.losses = {4, 3, 2, 1}}.make();
    auto series = std::make_shared<RunSeries>(*run->series);
    series->train.seconds = {1, std::nan(""), std::numeric_limits<double>::infinity(), 0.5};
    auto damaged = std::make_shared<headroom::Run>(*run);
    damaged->series = series;
    const LossRows rows = loss_rows(damaged, LossKind::kTrain);
    EXPECT_THAT(seconds_at(rows, rows.kept), ElementsAre(1, 1, 1, 1));
}

}  // namespace
}  // namespace headroom
