#include "panels/loss/kept_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/loss/loss_cache.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

RunPointer run_of(const std::string& id, int steps, float start = 3) {
    ExampleRun run{.id = id, .group = id};
    for (int i = 1; i <= steps; ++i) run.losses.push_back(start / static_cast<float>(i));
    return run.make();
}

class KeptCurvesTest : public testing::Test {
  protected:
    LossView build(const std::vector<RunPointer>& runs) {
        return build_loss(runs, settings_, {.cache = &cache_, .kept = &kept_});
    }

    LossSettings settings_;
    LossCache cache_;
    KeptCurves kept_;
};

TEST_F(KeptCurvesTest, OnlyARunThatMovedOnIsMadeAnew) {
    settings_.val = false;
    const RunPointer done = run_of("done", 50), before = run_of("grows", 50);
    const RunPointer after = run_of("grows", 60);
    const LossView first = build({done, before}), second = build({done, after});
    ASSERT_EQ(second.curves.size(), 2u);
    EXPECT_EQ(second.curves[0].value, first.curves[0].value) << "the very same column";
    EXPECT_EQ(second.curves[1].x->size(), 60u);
    EXPECT_EQ(*second.curves[1].value,
              *build_loss(std::vector{done, after}, settings_).curves[1].value);
}

TEST_F(KeptCurvesTest, NamesColoursAndHidingAreThoseOfNow) {
    settings_.val = false;
    const RunPointer run = run_of("a", 20);
    build({run});
    headroom::Run changed = *run;
    changed.name = "renamed";
    changed.color = run->color + 1;
    settings_.hidden = {"a"};
    const LossView view = build({std::make_shared<const headroom::Run>(changed)});
    EXPECT_EQ(view.curves[0].name, "renamed");
    EXPECT_EQ(view.curves[0].color, run->color + 1);
    EXPECT_FALSE(view.curves[0].visible);
}

TEST_F(KeptCurvesTest, AnotherAxisOrSmoothingMakesThemAnew) {
    settings_.val = false;
    const RunPointer run = run_of("a", 20);
    const LossView first = build({run});
    settings_.x = LossX::kSteps;
    const LossView steps = build({run});
    EXPECT_NE(*steps.curves[0].x, *first.curves[0].x);
    settings_.smoothing = 0;
    const LossView raw = build({run});
    EXPECT_EQ(raw.curves[0].value, raw.curves[0].raw);
}

TEST_F(KeptCurvesTest, WhatWasNotFiniteIsStillSaid) {
    settings_.val = false;
    ExampleRun bad{.id = "bad", .group = "bad"};
    bad.losses = {3, 2, NAN, 1};
    const std::vector<RunPointer> runs{bad.make()};
    const LossView first = build(runs), second = build(runs);
    EXPECT_THAT(first.notes, testing::Contains(testing::HasSubstr("not finite from step 3 on")));
    EXPECT_EQ(second.notes, first.notes);
}

TEST_F(KeptCurvesTest, PartsOfAPlotThatWasWholeLoseNoCurve) {
    settings_.val = false;
    const RunPointer done = run_of("c", 50), grows = run_of("d", 50);
    build({done, grows});
    std::vector<std::vector<std::string>> parts;
    LossBuild build{.cache = &cache_, .kept = &kept_, .was_whole = true};
    build.progress_every = std::chrono::milliseconds(-1);
    build.progress = [&](const LossView& part) {
        parts.emplace_back();
        for (const LossCurve& curve : part.curves) parts.back().push_back(curve.id);
    };
    const std::vector<RunPointer> more{run_of("a", 9), done, run_of("b", 9), run_of("d", 60)};
    const LossView whole = build_loss(more, settings_, build);
    const std::vector<std::string> old{"c", "d"}, one_more{"a", "c", "d"}, all{"a", "c", "b", "d"};
    EXPECT_THAT(parts, testing::ElementsAre(old, one_more, all)) << "in the order of the legend";
    EXPECT_EQ(whole.curves[3].points, 60u);

    parts.clear();
    settings_.group_seeds = true;
    build_loss(more, settings_, build);
    EXPECT_THAT(parts, testing::Each(testing::SizeIs(4))) << "means are made anew";
}

TEST_F(KeptCurvesTest, APartSaysSoUnderThePicture) {
    std::vector<LossView> parts;
    LossBuild build{.cache = &cache_, .kept = &kept_};
    build.progress = [&](LossView part) { parts.push_back(std::move(part)); };
    build.progress_every = std::chrono::milliseconds(-1);
    const std::vector<RunPointer> runs{run_of("a", 20), run_of("b", 20)};
    const LossView whole = build_loss(runs, settings_, build);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_THAT(parts[0].figure.footnote, testing::HasSubstr("more runs are being read"));
    EXPECT_THAT(whole.figure.footnote, testing::Not(testing::HasSubstr("being read")));
}

}  // namespace
}  // namespace headroom
