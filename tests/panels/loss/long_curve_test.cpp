#include "panels/loss/long_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "panels/figure/figure_csv.h"
#include "panels/loss/kept_curves.h"
#include "panels/loss/loss_cache.h"
#include "panels/loss/loss_tips.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

constexpr int kSteps = 150'000;

RunPointer long_run(const std::string& id = "long", int64_t seed = 1, int spike = 77'777) {
    ExampleRun run{.id = id, .group = "long", .seed = seed};
    for (int i = 1; i <= kSteps; ++i)
        run.losses.push_back(static_cast<float>(2 + 3 * std::exp(-i / 2e4) +
                                                0.2 * std::sin(i * 0.7) +
                                                0.01 * static_cast<double>(seed)));
    run.losses[static_cast<size_t>(spike)] = 9;
    run.val_steps = {50'000, 100'000, 150'000};
    run.val_losses = {3, 2.5, 2.25};
    return run.make();
}

LossSettings steps_settings() {
    LossSettings settings;
    settings.x = LossX::kSteps;
    settings.val = false;
    return settings;
}

const FigureSeries& part(const LossView& view, const std::string& role) {
    for (const FigureSeries& series : view.figure.series)
        if (series.role == role) return series;
    ADD_FAILURE() << "no " << role;
    return view.figure.series.front();
}

/// What is kept of a long curve against all of its points.
void expect_outline_holds(const Curve& outlined, const Curve& whole) {
    const CurveOutline& outline = outlined.outline();
    ASSERT_GT(outline.size(), 10'000u);
    size_t at = 0;
    for (size_t i = 0; i < outline.size(); ++i) {
        const double end = i + 1 < outline.size() ? (*outline.x)[i + 1] : HUGE_VAL;
        double least = HUGE_VAL, greatest = -HUGE_VAL;
        for (; at < whole.size() && whole.x()[at] < end; ++at) {
            least = std::min(least, whole.y()[at]);
            greatest = std::max(greatest, whole.y()[at]);
        }
        ASSERT_LE(outline.least[i], least);
        ASSERT_NEAR(outline.least[i], least, 4e-6);
        ASSERT_GE(outline.greatest[i], greatest);
        ASSERT_NEAR(outline.greatest[i], greatest, 4e-6);
    }
    EXPECT_EQ(at, whole.size());
}

TEST(LongCurve, IsOutlinedAsAllOfItsPointsSay) {
    const std::vector<RunPointer> runs{long_run()};
    const LossView view = build_loss(runs, steps_settings());
    const LossView whole = build_loss(runs, steps_settings(), {.all_points = true});
    for (const char* role : {"smoothed", "raw"})
        expect_outline_holds(*part(view, role).data, *part(whole, role).data);
    EXPECT_EQ(view.curves[0].points, static_cast<size_t>(kSteps));
    EXPECT_LT(view.curves[0].rows.size(), 40'000u);
    EXPECT_EQ(view.x_all, whole.x_all);
    EXPECT_NEAR(view.y_all.upper, whole.y_all.upper, 4e-6);
    for (size_t i = 0; i < view.curves[0].rows.size(); ++i)
        ASSERT_EQ((*view.curves[0].value)[i], (*whole.curves[0].value)[view.curves[0].rows[i]]);
}

TEST(LongCurve, DrawnWholeStillShowsASingleSpike) {
    LossSettings settings = steps_settings();
    settings.smoothing = 0;
    const LossView view = build_loss(std::vector{long_run()}, settings);
    const auto drawn = envelope(*part(view, "value").data, view.x_all, 700, AxisScale::kLinear);
    EXPECT_LE(drawn.size(), 1402u);
    const auto highest =
        std::max_element(drawn.begin(), drawn.end(), [](Point a, Point b) { return a.y < b.y; });
    EXPECT_EQ(highest->y, 9);
    EXPECT_NEAR(highest->x, 77'778, kSteps / 700.0);
}

TEST(LongCurve, LookedAtCloselyHasEveryPointOfThere) {
    const std::vector<RunPointer> runs{long_run()};
    LossSettings settings = steps_settings();
    settings.x_range = Range{77'000, 78'000};
    const LossView view = build_loss(runs, settings);
    const LossView whole = build_loss(runs, steps_settings(), {.all_points = true});
    const Curve& close = *part(view, "smoothed").data;
    const Curve& all = *part(whole, "smoothed").data;
    ASSERT_TRUE(close.has_points(*settings.x_range));
    EXPECT_FALSE(close.has_points(view.x_all));
    const size_t first = all.lower_index(close.x().front());
    for (size_t i = 0; i < close.size(); ++i)
        ASSERT_EQ(close.y()[i], all.y()[first + i]) << "the same smoothing, bit for bit";
    EXPECT_EQ(envelope(close, *settings.x_range, 300, AxisScale::kLinear),
              envelope(all, *settings.x_range, 300, AxisScale::kLinear));
    EXPECT_EQ(tips_at(view, 77'778).at(0).raw, 9) << "the tooltip means this very step";
}

/// Also where that lies between the last row of a stretch and the first of the next.
TEST(LongCurve, LookedAtCloselyReachesTheEdge) {
    const std::vector<RunPointer> runs{long_run()};
    LossSettings settings = steps_settings();
    for (int at = 0; at < 16; ++at) {
        settings.x_range = Range{77'000, 78'000 + at + 0.5};
        const Range with_room = with_margins(*settings.x_range);
        const LossView view = build_loss(runs, settings);
        const Curve& close = *part(view, "smoothed").data;
        EXPECT_LE(close.x().front(), with_room.lower) << at;
        EXPECT_GE(close.x().back(), with_room.upper) << at;
    }
}

TEST(LongCurve, ReadsOnlyPointsWhenItIsLookedAtElsewhere) {
    const std::vector<RunPointer> runs{long_run()};
    LossSettings settings = steps_settings();
    LossCache cache;
    KeptCurves kept;
    const LossBuild build{.cache = &cache, .kept = &kept};
    const LossView far = build_loss(runs, settings, build);
    for (const Range look : {Range{77'000, 78'000}, Range{90'000, 90'500}}) {
        settings.x_range = look;
        const LossView close = build_loss(runs, settings, build);
        const LossView fresh = build_loss(runs, settings);
        const LossCurve &curve = close.curves.at(0), &anew = fresh.curves.at(0);
        EXPECT_EQ(curve.value, far.curves[0].value) << "the very same column";
        EXPECT_EQ(&curve.value_line->outline(), &far.curves[0].value_line->outline());
        ASSERT_NE(curve.close, nullptr);
        EXPECT_EQ(*curve.close->x, *anew.close->x);
        EXPECT_EQ(*curve.close->value, *anew.close->value);
    }
    settings.x_range.reset();
    EXPECT_EQ(build_loss(runs, settings, build).curves[0].close, nullptr);
}

TEST(LongCurve, OfSeedsIsTheMeanOfThemAll) {
    const std::vector<RunPointer> runs{long_run("a", 1), long_run("b", 2, 1234)};
    LossSettings settings = steps_settings();
    settings.group_seeds = true;
    const LossView view = build_loss(runs, settings);
    const LossView whole = build_loss(runs, settings, {.all_points = true});
    ASSERT_EQ(view.curves.size(), 1u);
    EXPECT_EQ(view.curves[0].seeds, 2);
    expect_outline_holds(*part(view, "mean").data, *part(whole, "mean").data);
    expect_outline_holds(*view.figure.bands.at(0).upper, *whole.figure.bands.at(0).upper);
}

// The seconds of their points are read when they are asked for; a mean asks.
TEST(LongCurve, OfSeedsHasTheMeanOfTheirValidationLossesToo) {
    const std::vector<RunPointer> runs{long_run("a", 1), long_run("b", 2, 1234)};
    LossSettings settings = steps_settings();
    settings.group_seeds = settings.val = true;
    const LossView view = build_loss(runs, settings);
    ASSERT_EQ(view.curves.size(), 2u);
    const LossCurve& val = view.curves[1];
    EXPECT_EQ(val.kind, LossKind::kVal);
    ASSERT_EQ(val.rows.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ((*val.seconds)[i], seconds_at(val.series, val.rows[i])) << i;
}

TEST(LongCurve, SaysTheSameOfItselfAsAWholeOne) {
    const std::vector<RunPointer> runs{long_run()};
    LossSettings settings;
    const LossView view = build_loss(runs, settings);
    const LossView whole = build_loss(runs, settings, {.all_points = true});
    EXPECT_EQ(view.figure.footnote, whole.figure.footnote);
    EXPECT_EQ(view.figure.series.size(), whole.figure.series.size());
    const std::string csv = figure_csv(whole.figure);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n') > 2 * kSteps, true);
}

TEST(LossCache, ExtendsWhatItKnowsOfARunThatGrows) {
    const RunPointer begun = long_run();
    auto series = std::make_shared<RunSeries>(*begun->series);
    series->train.step.resize(100'000);
    series->train.tokens.resize(100'000);
    series->train.loss.resize(100'000);
    series->train.seconds.resize(100'000);
    auto before = std::make_shared<headroom::Run>(*begun);
    before->series = series;
    LossCache cache;
    const LossBuild build{.cache = &cache};
    (void)build_loss(std::vector<RunPointer>{before}, steps_settings(), build);
    const LossView grown = build_loss(std::vector{begun}, steps_settings(), build);
    const LossView fresh = build_loss(std::vector{begun}, steps_settings());
    EXPECT_EQ(*grown.curves[0].value, *fresh.curves[0].value);
    EXPECT_EQ(part(grown, "smoothed").data->outline().greatest,
              part(fresh, "smoothed").data->outline().greatest);
}

}  // namespace
}  // namespace headroom
