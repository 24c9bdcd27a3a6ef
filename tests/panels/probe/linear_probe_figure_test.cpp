#include "panels/probe/linear_probe_figure.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/figure/figure_csv.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// Losses of layers 0, 1, 2, …; the slope is that of the last two or, of six, the last three.
ProbedRun probed(const std::string& variant, std::vector<double> losses, int seed = 1) {
    ProbedRun run;
    run.id = variant + "-s" + std::to_string(seed);
    run.group = variant;
    run.step = 1000;
    const auto n = static_cast<int32_t>(losses.size());
    for (int32_t layer = 0; layer < n; ++layer) run.probe.layers.push_back(layer);
    run.probe.val_loss = std::move(losses);
    run.probe.slope_first = n - 3;
    run.probe.slope_last = n - 1;
    return run;
}

TEST(LinearProbeFigure, DrawsLossesAndALineThroughTheDeepLayers) {
    const LinearProbeView view = build_linear_probe({probed("baseline", {5, 4, 3, 2.5, 2})}, {});
    ASSERT_EQ(view.figure.series.size(), 2u);
    EXPECT_EQ(view.figure.series[0].data->size(), 5u);
    const Curve& fit = *view.figure.series[1].data;
    EXPECT_EQ(fit.x()[0], 2);
    EXPECT_EQ(fit.x()[1], 4);
    EXPECT_DOUBLE_EQ(fit.y()[0], 3);
    EXPECT_DOUBLE_EQ(fit.y()[1], 2);
    EXPECT_DOUBLE_EQ(view.lines[0].slope, -0.5);
    EXPECT_EQ(view.figure.series[0].legend, "baseline, slope −0.500");
    EXPECT_THAT(view.figure.footnote, HasSubstr("layers 2 to 4"));
    EXPECT_THAT(view.figure.footnote, HasSubstr("step 1000"));
    EXPECT_THAT(figure_csv(view.figure), HasSubstr("baseline,fit,2,3"));
}

TEST(LinearProbeFigure, SeedsAreAMeanWithABand) {
    const LinearProbeView view = build_linear_probe(
        {probed("a", {4, 3, 2}, 1), probed("b", {4, 3, 3}), probed("a", {6, 4, 2}, 2)}, {});
    ASSERT_EQ(view.lines.size(), 2u);
    EXPECT_EQ(view.lines[0].seeds, 2);
    EXPECT_EQ(view.lines[0].mean, (std::vector<double>{5, 3.5, 2}));
    EXPECT_DOUBLE_EQ(view.lines[0].slope, -1.5);
    ASSERT_EQ(view.figure.bands.size(), 1u);
    EXPECT_EQ(view.figure.bands[0].lower->y()[0], 4);
    EXPECT_EQ(view.figure.bands[0].upper->y()[0], 6);
    EXPECT_THAT(view.figure.series[0].legend, HasSubstr("2 seeds"));
}

TEST(LinearProbeFigure, ASeedCountsOnce) {
    ProbedRun again = probed("a", {6, 6, 6}, 1);
    again.repeats = "a: a-s1-2 repeats seed 1 and counts once";
    const LinearProbeView view = build_linear_probe({probed("a", {4, 3, 2}, 1), again}, {});
    EXPECT_EQ(view.lines[0].mean, (std::vector<double>{4, 3, 2}));
    EXPECT_THAT(view.figure.footnote, HasSubstr(again.repeats));
    EXPECT_EQ(build_linear_probe({again}, {}).lines[0].mean[0], 6) << "it alone was probed";
}

TEST(LinearProbeFigure, OtherLayersOfTheLineAndThemAlone) {
    LinearProbeSettings settings;
    settings.fit_first = 0;
    settings.fit_last = 1;
    settings.deep_only = true;
    const LinearProbeView view = build_linear_probe({probed("a", {4, 3.5, 1})}, settings);
    EXPECT_EQ(view.lines[0].layers, (std::vector<double>{0, 1}));
    EXPECT_DOUBLE_EQ(view.lines[0].slope, -0.5);
}

TEST(LinearProbeFigure, TheLineEndsWithItsLayers) {
    LinearProbeSettings settings;
    settings.fit_first = 0;
    settings.fit_last = 1;
    const LinearProbeView view = build_linear_probe({probed("a", {4, 3.5, 1})}, settings);
    EXPECT_EQ(view.figure.series[0].data->size(), 3u);
    const Curve& fit = *view.figure.series[1].data;
    EXPECT_EQ(fit.x()[0], 0);
    EXPECT_EQ(fit.x()[1], 1);
    EXPECT_DOUBLE_EQ(fit.y()[1], 3.5);
}

TEST(LinearProbeFigure, SaysOfWhichLayersItsLineIs) {
    LinearProbeSettings settings;
    settings.fit_first = 1;
    settings.fit_last = 9;
    const auto note = [&] {
        return build_linear_probe({probed("a", {4, 3.5, 1})}, settings).figure.footnote;
    };
    EXPECT_THAT(note(), HasSubstr("least squares over layers 1 to 2"));
    settings.fit_first = 5;
    EXPECT_THAT(note(), HasSubstr("no line: fewer than two layers from 5 to 9"));
}

TEST(LinearProbeFigure, OneLayerHasNoSlope) {
    const LinearProbeView view = build_linear_probe({probed("a", {4})}, {});
    EXPECT_TRUE(std::isnan(view.lines[0].slope));
    EXPECT_EQ(view.figure.series.size(), 1u);
    EXPECT_EQ(view.figure.series[0].legend, "a");
}

TEST(LinearProbeFigure, AccuraciesOfImagesAreNoNats) {
    LinearProbeSettings settings;
    settings.number = ProbeNumber::kAccuracy;
    ProbedRun images = probed("images", {3, 2});
    images.probe.val_accuracy = {0.5, 0.75};
    const LinearProbeView view = build_linear_probe({images}, settings);
    EXPECT_EQ(view.lines[0].mean, (std::vector<double>{0.5, 0.75}));
    EXPECT_EQ(view.figure.y.label, "probe: val accuracy");
    EXPECT_THAT(view.figure.footnote, testing::Not(HasSubstr("nats")));
}

TEST(LinearProbeFigure, ProbesWithoutControlTasksHaveNoSelectivity) {
    LinearProbeSettings settings;
    settings.number = ProbeNumber::kSelectivity;
    ProbedRun with = probed("with", {3, 2});
    with.probe.selectivity = {0.5, 1};
    const LinearProbeView both = build_linear_probe({probed("without", {3, 2}), with}, settings);
    EXPECT_EQ(both.lines.size(), 1u);
    EXPECT_THAT(both.figure.footnote, HasSubstr("without has no such numbers"));
    EXPECT_TRUE(build_linear_probe({probed("without", {3, 2})}, settings).figure.is_empty());
    EXPECT_TRUE(build_linear_probe({probed("bad", {NAN, NAN})}, {}).figure.is_empty());
}

}  // namespace
}  // namespace headroom
