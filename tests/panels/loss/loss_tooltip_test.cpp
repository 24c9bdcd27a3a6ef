#include "panels/loss/loss_tooltip.h"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

LossSettings train_only() {
    LossSettings settings;
    settings.x = LossX::kSteps;
    settings.val = false;
    return settings;
}

TEST(LossTooltip, SaysWhereEachRunIs) {
    const std::vector<RunPointer> runs = {
        ExampleRun{.tokens_per_step = 4096, .seconds_per_step = 90, .losses = {4, 3}}.make()};
    const LossTooltip tooltip = loss_tooltip(build_loss(runs, train_only()), 2, 3);
    ASSERT_EQ(tooltip.rows.size(), 1u);
    const TooltipRow& row = tooltip.rows[0];
    EXPECT_EQ(row.name, "base-s1");
    EXPECT_EQ(row.value, "3.3750");
    EXPECT_EQ(row.raw, "3.0000");
    EXPECT_EQ(row.step, "2");
    EXPECT_EQ(row.time, "3 min 00 s");
    EXPECT_EQ(tooltip.more, "");
}

TEST(LossTooltip, AMeanOverSeedsIsOfTheirMeanTime) {
    LossSettings settings = train_only();
    settings.group_seeds = true;
    const std::vector<RunPointer> runs = {
        ExampleRun{.seconds_per_step = 60, .losses = {4, 3}}.make(),
        ExampleRun{.id = "base-s2", .seed = 2, .seconds_per_step = 120, .losses = {4, 3}}.make()};
    const LossTooltip tooltip = loss_tooltip(build_loss(runs, settings), 2, 3);
    ASSERT_EQ(tooltip.rows.size(), 1u);
    EXPECT_EQ(tooltip.rows[0].time, "3 min 00 s");
}

TEST(LossTooltip, ALoneSeedOfItsVariantHasThePlainColour) {
    headroom::Run second = *ExampleRun{.color = 3, .losses = {4, 3}}.make();
    second.shade = 1;  // the first one is not there
    LossSettings settings = train_only();
    settings.group_seeds = true;
    const std::vector<RunPointer> runs = {std::make_shared<const headroom::Run>(second)};
    const TooltipRow row = loss_tooltip(build_loss(runs, settings), 2, 3).rows.at(0);
    EXPECT_EQ(row.color, 3);
    EXPECT_EQ(row.shade, 0);
}

TEST(LossTooltip, ALogWithoutTimesSaysNone) {
    const std::vector<RunPointer> runs = {
        ExampleRun{.seconds_per_step = 0, .losses = {4, 3}}.make()};
    EXPECT_EQ(loss_tooltip(build_loss(runs, train_only()), 2, 3).rows.at(0).time, "–");
}

TEST(LossTooltip, DifferencesCarryTheirSign) {
    const std::vector<RunPointer> runs = {
        ExampleRun{.id = "base", .losses = {4, 2}}.make(),
        ExampleRun{.id = "skip", .group = "skip", .losses = {4, 1.5f}}.make()};
    LossSettings settings = train_only();
    settings.baseline = "base";
    settings.smoothing = 0;
    EXPECT_EQ(loss_tooltip(build_loss(runs, settings), 2, 0).rows.at(0).value, "−0.5000");
    settings.unit = RelativeUnit::kPercent;
    EXPECT_EQ(loss_tooltip(build_loss(runs, settings), 2, 0).rows.at(0).value, "−25.000 %");
}

TEST(LossTooltip, OfManyRunsListsTheNearestFromTheTop) {
    std::vector<RunPointer> runs;
    for (int i = 0; i < 20; ++i)
        runs.push_back(
            ExampleRun{.id = fmt::format("r{}", i), .losses = {static_cast<float>(i)}}.make());
    const LossTooltip tooltip = loss_tooltip(build_loss(runs, train_only()), 1, 0, 3);
    ASSERT_EQ(tooltip.rows.size(), 3u);
    EXPECT_EQ(tooltip.rows[0].name, "r2");
    EXPECT_EQ(tooltip.rows[2].name, "r0");
    EXPECT_EQ(tooltip.more, "and 17 more");
}

TEST(LossTooltip, RunsThatEndedBeforeSayNothingOfWhereAnotherGoesOn) {
    const std::vector<RunPointer> runs = {
        ExampleRun{.id = "short", .losses = {4, 3, 2}}.make(),
        ExampleRun{.id = "long", .group = "long", .losses = {4, 3, 3, 2, 2, 2, 2, 2}}.make()};
    const LossView view = build_loss(runs, train_only());
    const auto names = [&](double x) {
        std::string all;
        for (const TooltipRow& row : loss_tooltip(view, x, 0).rows) all += row.name + " ";
        return all;
    };
    EXPECT_EQ(names(3.4), "long short ");
    EXPECT_EQ(names(6.9), "long ");
    EXPECT_EQ(names(30), "short long ") << "behind all of them their ends are told";
}

TEST(LossTooltip, NaNIsNaNAndLast) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<RunPointer> runs = {ExampleRun{.id = "bad", .losses = {nan}}.make(),
                                          ExampleRun{.id = "good", .losses = {2}}.make()};
    const LossTooltip tooltip = loss_tooltip(build_loss(runs, train_only()), 1, 2);
    ASSERT_EQ(tooltip.rows.size(), 2u);
    EXPECT_EQ(tooltip.rows[0].name, "good");
    EXPECT_EQ(tooltip.rows[1].value, "NaN");
}

}  // namespace
}  // namespace headroom
