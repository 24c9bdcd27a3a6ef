#include "panels/loss/relative.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/loss/compute_share.h"
#include "panels/loss/loss_view.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::ElementsAre;

TEST(PairWithBaseline, TheBaselineIsLinearBetweenItsPoints) {
    const LossRows base = loss_rows(ExampleRun{.losses = {8, 4}}.make(), LossKind::kTrain);
    const LossRows other =
        loss_rows(ExampleRun{.id = "other", .losses = {9, 9, 9, 9, 9}}.make(), LossKind::kTrain);
    const PairedPlaces places{{50, 100, 125, 175, 250}, {100, 200}};
    const PairedLoss paired = pair_with_baseline(other, base, places, RelativeUnit::kNats);
    EXPECT_FALSE(paired.equal_steps);
    EXPECT_THAT(paired.rows, ElementsAre(1, 2, 3)) << "no value outside of its points";
    EXPECT_THAT(paired.difference, ElementsAre(9 - 8, 9 - 7, 9 - 5));
    const PairedLoss percent = pair_with_baseline(other, base, places, RelativeUnit::kPercent);
    EXPECT_THAT(percent.difference, ElementsAre(12.5, 100 * (9.0 / 7 - 1), 80));
}

TEST(BuildLoss, ABaselineOfSeveralSeedsIsCalledByItsVariant) {
    const std::vector<RunPointer> runs{
        ExampleRun{.losses = {4, 3}}.make(),
        ExampleRun{.id = "base-s2", .seed = 2, .losses = {4, 3}}.make(),
        ExampleRun{.id = "skip-s1", .group = "skip", .losses = {3, 2}}.make(),
        ExampleRun{.id = "skip-s2", .group = "skip", .seed = 2, .losses = {3, 2}}.make()};
    LossSettings settings;
    settings.x = LossX::kSteps;
    settings.baseline = "base-s1";
    const auto rule = [&] { return build_loss(runs, settings).figure.rules.at(0).label; };
    EXPECT_EQ(rule(), "0 = base of the same seed");
    settings.group_seeds = true;
    EXPECT_EQ(rule(), "0 = base");
}

TEST(LossReference, EndsAtItsLastLossThatIsANumber) {
    ExampleRun run{.losses = {4, 3, 2}};
    run.val_steps = {1, 2, 3};
    run.val_losses = {4, 3.5f, std::nanf("")};
    EXPECT_EQ(loss_reference(run.make()).final_loss, 3.5);
    run.val_losses = {4, 3.5f, 3};
    EXPECT_EQ(loss_reference(run.make()).final_loss, 3);
    run.val_steps.clear();
    run.val_losses.clear();
    EXPECT_FALSE(loss_reference(run.make()).final_loss.has_value());
}

}  // namespace
}  // namespace headroom
