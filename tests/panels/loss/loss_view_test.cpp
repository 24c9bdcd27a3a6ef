#include "panels/loss/loss_view.h"

#include <cmath>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "panels/figure/figure_csv.h"
#include "panels/loss/loss_tips.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

LossSettings plain() {
    LossSettings settings;
    settings.smoothing = 0;
    settings.x = LossX::kSteps;
    return settings;
}

std::vector<std::string> series_names(const LossView& view, const std::string& role) {
    std::vector<std::string> names;
    for (const FigureSeries& series : view.figure.series)
        if (series.role == role) names.push_back(series.name);
    return names;
}

const FigureSeries& series_of(const LossView& view, const std::string& name,
                              const std::string& role) {
    for (const FigureSeries& series : view.figure.series)
        if (series.name == name && series.role == role) return series;
    throw std::out_of_range(name + " " + role);
}

std::vector<double> values(std::span<const double> span) {
    return {span.begin(), span.end()};
}

ExampleRun two_kinds() {
    return {.losses = {4, 3, 2}, .val_steps = {1, 3}, .val_losses = {4.5f, 2.5f}};
}

TEST(LossView, ShowsTrainingAndValidationOfEachRun) {
    ExampleRun other = two_kinds();
    other.id = other.group = "skip";
    other.color = 1;
    const std::vector<RunPointer> runs = {two_kinds().make(), other.make()};
    const LossView view = build_loss(runs, plain());
    EXPECT_THAT(series_names(view, "value"),
                ElementsAre("base-s1 train", "base-s1 val", "skip train", "skip val"));
    EXPECT_EQ(values(series_of(view, "skip val", "value").data->y()),
              (std::vector<double>{4.5, 2.5}));
    EXPECT_EQ(series_of(view, "skip val", "value").style.color, 1);
    EXPECT_EQ(series_of(view, "skip val", "value").legend, "skip");
    EXPECT_EQ(series_of(view, "skip train", "value").legend, "") << "a run stands there once";
    EXPECT_EQ(view.figure.keys.size(), 2u);
    EXPECT_EQ(view.figure.x.label, "training step");
    EXPECT_EQ(view.figure.y.label, "loss (nats per token)");
    EXPECT_EQ(view.figure.sources.size(), 2u);
    EXPECT_LE(view.figure.y.range.lower, 2.0);
    EXPECT_GE(view.figure.y.range.upper, 4.5);
}

// It told val from train where nothing was evaluated, and named runs that had not begun.
TEST(LossView, TheLegendNamesWhatIsDrawn) {
    const RunPointer train = ExampleRun{.losses = {4, 3, 2}}.make();
    ExampleRun waits{.losses = {}};
    waits.id = waits.group = "skip";
    const LossView view = build_loss(std::vector{train, waits.make()}, plain());
    std::vector<std::string> names;
    for (const FigureSeries& series : view.figure.series)
        if (!series.legend.empty()) names.push_back(series.legend);
    EXPECT_THAT(names, ElementsAre("base-s1"));
    EXPECT_THAT(view.figure.keys, testing::IsEmpty());
}

TEST(LossView, LossesOfImagesAreMeansOverImages) {
    headroom::Run images = *two_kinds().make();
    auto job = std::make_shared<Job>();
    job->model.input = InputKind::kImages;
    images.job = job;
    const std::vector<RunPointer> alone = {std::make_shared<const headroom::Run>(images)};
    EXPECT_EQ(build_loss(alone, plain()).figure.y.label, "loss (nats per image)");
    const std::vector<RunPointer> mixed = {alone[0], two_kinds().make()};
    EXPECT_EQ(build_loss(mixed, plain()).figure.y.label, "loss (nats)");
}

/// Queues begin with the first seed of every variant.
TEST(LossView, SeedsOfOneVariantStandTogetherInTheLegend) {
    std::vector<RunPointer> runs;
    for (const char* const id : {"base-s1", "skip-s1", "base-s2", "skip-s2"}) {
        ExampleRun run{.id = id, .losses = {4, 3}};
        run.group = std::string(id).substr(0, 4);
        runs.push_back(run.make());
    }
    LossSettings settings = plain();
    settings.val = false;
    EXPECT_THAT(series_names(build_loss(runs, settings), "value"),
                ElementsAre("base-s1", "base-s2", "skip-s1", "skip-s2"));
}

/// It stood at 0 s, as if it had trained in no time, or on the first day of 1970.
TEST(LossView, ALogWithoutTimesHasNoPlaceOnAnAxisOfTime) {
    ExampleRun theirs{.id = "theirs", .losses = {4, 3}};
    theirs.group = "theirs";
    theirs.seconds_per_step = 0;
    const std::vector<RunPointer> runs = {two_kinds().make(), theirs.make()};
    LossSettings settings = plain();
    settings.val = false;
    for (const LossX x : {LossX::kSeconds, LossX::kWall}) {
        settings.x = x;
        const LossView view = build_loss(runs, settings);
        EXPECT_THAT(series_names(view, "value"), ElementsAre("base-s1"));
        EXPECT_THAT(view.notes, testing::Contains(HasSubstr("theirs is left out")));
    }
    settings.x = LossX::kSteps;
    EXPECT_THAT(series_names(build_loss(runs, settings), "value"),
                ElementsAre("base-s1", "theirs"));
}

TEST(LossView, OneKindAloneIsNamedByTheAxisAndNotByTheLegend) {
    LossSettings settings = plain();
    settings.train = false;
    const std::vector<RunPointer> runs = {two_kinds().make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_THAT(series_names(view, "value"), ElementsAre("base-s1"));
    EXPECT_EQ(view.figure.y.label, "validation loss (nats per token)");
}

TEST(LossView, SmoothsTrainingAndKeepsTheRawLineFaintBehind) {
    LossSettings settings = plain();
    settings.smoothing = 0.6;
    const std::vector<RunPointer> runs = {two_kinds().make()};
    const LossView view = build_loss(runs, settings);
    const FigureSeries& smoothed = series_of(view, "base-s1 train", "smoothed");
    EXPECT_NEAR(smoothed.data->y()[1], (0.6 * 1.6 + 0.4 * 3) / 0.64, 1e-12);
    const FigureSeries& raw = series_of(view, "base-s1 train", "raw");
    EXPECT_TRUE(raw.style.faint);
    EXPECT_EQ(raw.legend, "");
    EXPECT_EQ(values(raw.data->y()), (std::vector<double>{4, 3, 2}));
    EXPECT_LT(&raw, &smoothed) << "the raw line lies behind";
    EXPECT_EQ(values(series_of(view, "base-s1 val", "value").data->y()),
              (std::vector<double>{4.5, 2.5}));
    EXPECT_THAT(view.figure.footnote, HasSubstr("smoothed by 0.6"));
    settings.smooth_val = true;
    EXPECT_NO_THROW(series_of(build_loss(runs, settings), "base-s1 val", "smoothed"));
}

TEST(LossView, HiddenRunsKeepTheirLegendAndLeaveTheRangeAlone) {
    ExampleRun far{.id = "far", .losses = {100, 100, 100}};
    LossSettings settings = plain();
    settings.hidden = {"far"};
    const std::vector<RunPointer> runs = {two_kinds().make(), far.make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_FALSE(series_of(view, "far train", "value").visible);
    EXPECT_EQ(series_of(view, "far val", "value").legend, "far");
    EXPECT_LT(view.figure.y.range.upper, 10);
    EXPECT_EQ(view.figure.sources.size(), 1u);
    EXPECT_THAT(figure_csv(view.figure), testing::Not(HasSubstr("far")));
}

TEST(LossView, OutliersAreHiddenOnlyOnRequestAndItSaysSo) {
    std::vector<float> losses(100, 2.0f);
    for (size_t i = 0; i < losses.size(); ++i) losses[i] += 0.001f * static_cast<float>(i % 7);
    losses[40] = 50;
    LossSettings settings = plain();
    const std::vector<RunPointer> runs = {ExampleRun{.losses = losses}.make()};
    EXPECT_GT(build_loss(runs, settings).figure.y.range.upper, 50);
    settings.ignore_outliers = true;
    const LossView view = build_loss(runs, settings);
    EXPECT_LT(view.figure.y.range.upper, 3);
    EXPECT_THAT(view.figure.footnote, HasSubstr("1 point outside the range is hidden"));
    EXPECT_EQ(series_of(view, "base-s1 train", "value").data->size(), 100u) << "data are kept";
}

TEST(LossView, ARewoundRunIsOneMonotoneLineWithItsPastFaintAndAMark) {
    const ExampleRun run{.steps = {1, 2, 3, 2, 3, 4}, .losses = {9, 8, 7, 6, 5, 4}};
    const std::vector<RunPointer> runs = {run.make()};
    const LossView view = build_loss(runs, plain());
    EXPECT_EQ(values(series_of(view, "base-s1 train", "value").data->y()),
              (std::vector<double>{9, 6, 5, 4}));
    const FigureSeries& past = series_of(view, "base-s1 train", "superseded");
    EXPECT_EQ(values(past.data->x()), (std::vector<double>{2, 3}));
    EXPECT_TRUE(past.style.faint);
    const FigureSeries& mark = series_of(view, "base-s1 train", "resumed");
    EXPECT_EQ(values(mark.data->x()), (std::vector<double>{2}));
    EXPECT_FALSE(mark.style.line);
    EXPECT_THAT(view.figure.footnote, HasSubstr("resumed"));
}

TEST(LossView, RelativeToABaselineIsPairedOnEqualSteps) {
    const ExampleRun base{.id = "base", .losses = {4, 3, 2, 1}};
    const ExampleRun skip{
        .id = "skip", .group = "skip", .steps = {2, 3, 5}, .losses = {2.5f, 2.5f, 9}};
    LossSettings settings = plain();
    settings.baseline = "base";
    const std::vector<RunPointer> runs = {base.make(), skip.make()};
    const LossView nats = build_loss(runs, settings);
    EXPECT_THAT(series_names(nats, "value"), ElementsAre("skip train", "skip val"));
    const FigureSeries& difference = series_of(nats, "skip train", "value");
    EXPECT_EQ(values(difference.data->x()), (std::vector<double>{2, 3}));
    EXPECT_EQ(values(difference.data->y()), (std::vector<double>{-0.5, 0.5}));
    ASSERT_EQ(nats.figure.rules.size(), 1u);
    EXPECT_EQ(nats.figure.rules[0].at, 0);
    EXPECT_EQ(nats.figure.rules[0].label, "0 = base");
    settings.unit = RelativeUnit::kPercent;
    const std::vector<FigureRule> rules = build_loss(runs, settings).figure.rules;
    ASSERT_EQ(rules.size(), 3u) << "and a thousandth to either side";
    EXPECT_EQ(rules[1].at, 0.1);
    EXPECT_EQ(rules[2].at, -0.1);
    EXPECT_THAT(values(series_of(build_loss(runs, settings), "skip train", "value").data->y()),
                ElementsAre(DoubleNear(-100.0 / 6, 1e-9), DoubleNear(25, 1e-9)));
}

TEST(LossView, DifferentBatchesAreNotCalledPaired) {
    const ExampleRun base{.id = "base", .losses = {4, 3}};
    ExampleRun other{.id = "other", .group = "other", .seed = 2, .losses = {4, 3}};
    LossSettings settings = plain();
    settings.baseline = "base";
    const std::vector<RunPointer> runs = {base.make(), other.make()};
    EXPECT_THAT(build_loss(runs, settings).notes,
                ElementsAre("not paired with base, which saw other batches: other"));
    other.seed = 1;
    const std::vector<RunPointer> paired = {base.make(), other.make()};
    EXPECT_THAT(build_loss(paired, settings).notes, testing::IsEmpty());
}

// A run of four times the tokens a step was set beside the baseline of a fourth of its tokens.
TEST(LossView, AtEqualTokensOrTimesTheBaselineIsReadBetweenItsPoints) {
    const ExampleRun base{.id = "base", .losses = {8, 6, 5, 4.5f}};
    const ExampleRun large{.id = "large",
                           .group = "large",
                           .tokens_per_step = 250,
                           .seconds_per_step = 0.25,
                           .losses = {6, 5, 4}};
    LossSettings settings = plain();
    settings.baseline = "base";
    settings.x = LossX::kTokens;
    const std::vector<RunPointer> runs = {base.make(), large.make()};
    const LossView tokens = build_loss(runs, settings);
    const Curve& at_tokens = *series_of(tokens, "large train", "value").data;
    EXPECT_EQ(values(at_tokens.x()), (std::vector<double>{250})) << "the baseline ends at 400";
    EXPECT_EQ(values(at_tokens.y()), (std::vector<double>{0.5}));
    EXPECT_THAT(tokens.notes, ElementsAre("not paired with base, whose loss at equal tokens is "
                                          "read between its points: large"));
    settings.x = LossX::kSeconds;
    const LossView seconds = build_loss(runs, settings);
    const Curve& at_seconds = *series_of(seconds, "large train", "value").data;
    EXPECT_EQ(values(at_seconds.x()), (std::vector<double>{0.5, 0.75}));
    EXPECT_EQ(values(at_seconds.y()), (std::vector<double>{5 - 8, 4 - 7}));
    settings.x = LossX::kSteps;
    EXPECT_EQ(values(series_of(build_loss(runs, settings), "large train", "value").data->y()),
              (std::vector<double>{-2, -1, -1}));
}

TEST(LossView, EachSeedIsComparedWithTheBaselinesSameSeed) {
    const ExampleRun base1{.id = "base-s1", .losses = {4, 4}};
    const ExampleRun base2{.id = "base-s2", .seed = 2, .losses = {3, 3}};
    const ExampleRun skip2{.id = "skip-s2", .group = "skip", .seed = 2, .losses = {2, 2}};
    LossSettings settings = plain();
    settings.baseline = "base-s1";
    settings.val = false;
    const std::vector<RunPointer> runs = {base1.make(), base2.make(), skip2.make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_THAT(series_names(view, "value"), ElementsAre("skip-s2"));
    EXPECT_EQ(values(series_of(view, "skip-s2", "value").data->y()), (std::vector<double>{-1, -1}));
    const std::string group = base1.make()->group;
    EXPECT_THAT(view.figure.y.label, HasSubstr("− " + group + " of the same seed"));
    EXPECT_EQ(view.figure.rules.at(0).label, "0 = " + group + " of the same seed");
}

/// A run with a model that is small enough to count by hand, or only nearly so.
RunPointer run_with_job(ExampleRun run, const std::string& model) {
    auto snapshot = *run.make();
    const std::string job = R"({"model": )" + model + R"(, "train": {"seq_len": 32}})";
    snapshot.job = std::make_shared<const Job>(parse_job(parse_json(job, "test"), "test"));
    return std::make_shared<const headroom::Run>(snapshot);
}

TEST(LossView, SharesOfComputeCountTheOriginalsFlops) {
    const std::string small = R"({"preset": "demo", "vocab_size": 256})";
    const std::string skip = R"({"preset": "demo", "vocab_size": 256, "arch": "skipv1"})";
    ExampleRun same = two_kinds(), fewer = two_kinds(), original;
    same.id = same.group = "same";
    fewer.id = fewer.group = "fewer";
    original = {.id = "original",
                .steps = {1, 30},
                .losses = {5, 2},
                .val_steps = {0, 30},
                .val_losses = {5, 2.25f}};
    const std::vector<RunPointer> runs = {run_with_job(original, small), run_with_job(same, small),
                                          run_with_job(fewer, skip)};
    LossSettings settings = plain();
    settings.x = LossX::kComputeShare;
    settings.reference = "original";
    settings.train = false;
    const LossView view = build_loss(runs, settings);
    EXPECT_THAT(series_names(view, "value"), ElementsAre("same", "fewer"));
    const std::vector<double> x = values(series_of(view, "same", "value").data->x());
    EXPECT_THAT(x, ElementsAre(DoubleNear(100.0 / 30, 1e-9), DoubleNear(10, 1e-9)));
    EXPECT_LT(values(series_of(view, "fewer", "value").data->x()).back(), 9.99);
    ASSERT_EQ(view.figure.rules.size(), 1u);
    EXPECT_EQ(view.figure.rules[0].at, 2.25);
    EXPECT_TRUE(view.y_all.contains(2.25));
}

TEST(LossView, ARuleOfSeveralSeedsIsAtTheirMeanAndNoneOfThemIsACurve) {
    const auto final_at = [](const std::string& id, const std::string& group, int64_t seed,
                             float loss) {
        ExampleRun run = two_kinds();
        run.id = id;
        run.group = group;
        run.seed = seed;
        run.val_steps = {0, 30};
        run.val_losses = {5, loss};
        return run.make();
    };
    const std::vector<RunPointer> runs = {
        final_at("a-s1", "a", 1, 2.0f), final_at("b-s1", "b", 1, 2.5f),
        final_at("a-s2", "a", 2, 3.0f), final_at("b-s2", "b", 2, 3.5f),
        final_at("c-s1", "c", 1, 4.0f)};
    LossSettings settings = plain();
    settings.train = false;
    settings.reference = "a-s1";
    settings.ruled = {"c-s1"};
    settings.group_seeds = true;
    LossView view = build_loss(runs, settings);
    ASSERT_EQ(view.curves.size(), 1u);
    EXPECT_EQ(view.curves[0].id, "b");
    ASSERT_EQ(view.figure.rules.size(), 2u);
    EXPECT_EQ(view.figure.rules[0].at, 2.5);
    EXPECT_EQ(view.figure.rules[0].label, "a (2 seeds), final loss");
    EXPECT_EQ(view.figure.rules[1].at, 4);
    EXPECT_TRUE(view.figure.rules[1].run);
    settings.group_seeds = false;
    view = build_loss(runs, settings);
    EXPECT_EQ(view.curves.size(), 3u) << "b and the other seed of a";
    EXPECT_EQ(view.figure.rules[0].at, 2);
}

TEST(LossView, DrawsAnySeriesOfTheLogInPlaceOfTheLosses) {
    auto run = *two_kinds().make();
    auto series = *run.series;
    const size_t rows = series.train.step.size();
    for (size_t i = 0; i < rows; ++i)
        series.train.grad_norm.push_back(0.5f + static_cast<float>(i));
    series.scalars["accuracy"].unit = "share";
    series.scalars["accuracy"].step = {1, 2};
    series.scalars["accuracy"].value = {0.25f, 0.5f};
    run.series = std::make_shared<const RunSeries>(series);
    const std::vector<RunPointer> runs = {std::make_shared<const headroom::Run>(run)};
    LossSettings settings = plain();
    settings.metric = "train/grad_norm";
    LossView view = build_loss(runs, settings);
    ASSERT_EQ(view.curves.size(), 1u) << "one line, neither training nor validation";
    EXPECT_EQ(view.curves[0].rows.size(), rows);
    EXPECT_EQ((*view.curves[0].raw)[1], 1.5);
    EXPECT_EQ(view.figure.y.label, "grad_norm");
    settings.metric = "scalars/accuracy";
    view = build_loss(runs, settings);
    EXPECT_EQ(*view.curves.at(0).raw, (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(view.figure.y.label, "accuracy (share)");
    EXPECT_EQ(view.figure.y.column, "accuracy");
    settings.metric = "scalars/none";
    view = build_loss(runs, settings);
    EXPECT_TRUE(view.figure.is_empty());
    EXPECT_EQ(view.figure.empty_text, "No run has logged scalars/none");
}

TEST(LossView, SharesOfUnknownComputeAreLeftOutAndNamed) {
    ExampleRun original = two_kinds(), other = two_kinds();
    original.id = "original";
    const std::vector<RunPointer> runs = {original.make(),
                                          other.make()};  // no models in their jobs
    LossSettings settings = plain();
    settings.x = LossX::kComputeShare;
    settings.reference = "original";
    const LossView view = build_loss(runs, settings);
    EXPECT_TRUE(view.curves.empty());
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("base-s1 is left out")));
}

TEST(LossView, SeedsBecomeAMeanWithABandOnCommonStepsOnly) {
    const ExampleRun s1{.id = "base-s1", .losses = {4, 3, 2, 1}};
    const ExampleRun s2{
        .id = "base-s2", .seed = 2, .state = RunState::kRunning, .steps = {1, 3}, .losses = {6, 4}};
    LossSettings settings = plain();
    settings.val = false;
    settings.group_seeds = true;
    settings.band = SeedBand::kMinMax;
    const std::vector<RunPointer> runs = {s1.make(), s2.make()};
    const LossView view = build_loss(runs, settings);
    const FigureSeries& mean = series_of(view, "base (2 seeds)", "mean");
    EXPECT_EQ(values(mean.data->x()), (std::vector<double>{1, 3}));
    EXPECT_EQ(values(mean.data->y()), (std::vector<double>{5, 3}));
    ASSERT_EQ(view.figure.bands.size(), 1u);
    EXPECT_EQ(values(view.figure.bands[0].lower->y()), (std::vector<double>{4, 2}));
    EXPECT_EQ(values(view.figure.bands[0].upper->y()), (std::vector<double>{6, 4}));
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("the mean ends at step 3, where seed 2")));
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("minimum to maximum")));
}

TEST(LossView, SeedsByTimeOfDayAreNoMean) {
    LossSettings settings = plain();
    settings.val = false;
    settings.group_seeds = true;
    settings.x = LossX::kWall;
    settings.left_out = {"base-s2"};
    std::vector<RunPointer> runs;
    for (const auto& [id, seed] : {std::pair("base-s1", 1), {"base-s2", 2}, {"base-s3", 3}}) {
        headroom::Run run = *ExampleRun{.id = id, .seed = seed}.make();
        run.started_unix = 1e9 + 600.0 * seed;
        runs.push_back(std::make_shared<const headroom::Run>(run));
    }
    const LossView view = build_loss(runs, settings);
    EXPECT_EQ(view.curves.size(), 3u);
    EXPECT_TRUE(view.figure.bands.empty());
    for (const LossCurve& curve : view.curves) EXPECT_EQ(curve.visible, curve.id != "base-s2");
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("times of day have no mean")));
}

TEST(LossView, AFailedSeedIsLeftOutOfTheMeanAndNamed) {
    const ExampleRun s1{.id = "base-s1", .losses = {4, 3, 2}};
    const ExampleRun s2{.id = "base-s2", .seed = 2, .losses = {6, 5, 4}};
    const ExampleRun s3{.id = "base-s3", .seed = 3, .state = RunState::kFailed, .losses = {99}};
    const ExampleRun s4{.id = "base-s4", .seed = 4, .state = RunState::kStarting};
    LossSettings settings = plain();
    settings.val = false;
    settings.group_seeds = true;
    const std::vector<RunPointer> runs = {s1.make(), s2.make(), s3.make(), s4.make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_EQ(values(series_of(view, "base (2 seeds)", "mean").data->y()),
              (std::vector<double>{5, 4, 3}));
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("seed 3 failed at step 1")));
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("seed 4 has no point yet")));
}

// Not once for each of its curves, and not where it was last evaluated.
TEST(LossView, ASeedThatGaveUpIsNamedOnceAtItsLastStep) {
    ExampleRun s1{.id = "base-s1", .losses = {4, 3, 2, 1}};
    s1.val_steps = {2, 4}, s1.val_losses = {3, 2};
    ExampleRun s2{.id = "base-s2", .seed = 2, .state = RunState::kDiverged, .losses = {6, 5, 9}};
    s2.val_steps = {2}, s2.val_losses = {5};
    LossSettings settings = plain();
    settings.group_seeds = true;
    const std::vector<RunPointer> runs = {s1.make(), s2.make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_THAT(view.notes,
                testing::Contains("base: seed 2 diverged at step 3 and is left out of the mean"));
    EXPECT_THAT(view.notes, testing::Contains(HasSubstr("seed 2 diverged")).Times(1));
}

TEST(LossView, SeedsThatDivergedTogetherAreNamed) {
    const ExampleRun s1{.id = "base-s1", .state = RunState::kDiverged, .losses = {4, 3, 9}};
    const ExampleRun s2{
        .id = "base-s2", .seed = 2, .state = RunState::kDiverged, .losses = {6, 5, 9}};
    const std::vector<RunPointer> runs = {s1.make(), s2.make()};
    LossSettings settings = plain();
    EXPECT_THAT(build_loss(runs, settings).notes,
                testing::Contains("base-s2 diverged at step 3").Times(1));
    settings.group_seeds = true;
    const LossView view = build_loss(runs, settings);
    EXPECT_THAT(view.figure.footnote, HasSubstr("base: seed 1 diverged at step 3"));
    EXPECT_THAT(view.notes, testing::Contains("base: seed 2 diverged at step 3").Times(1));
}

TEST(LossView, ASeedThatIsLeftOutCountsInNoMeanAndItsGroupIsStillDrawn) {
    const std::vector<RunPointer> runs = {
        ExampleRun{.id = "base-s1", .seed = 1, .losses = {9, 8, 7}}.make(),
        ExampleRun{.id = "base-s2", .seed = 2, .losses = {6, 5, 4}}.make(),
        ExampleRun{.id = "base-s3", .seed = 3, .losses = {4, 3, 2}}.make()};
    LossSettings settings = plain();
    settings.val = false;
    settings.group_seeds = true;
    settings.left_out = {"base-s1"};
    const LossView view = build_loss(runs, settings);
    EXPECT_EQ(values(series_of(view, "base (2 seeds)", "mean").data->y()),
              (std::vector<double>{5, 4, 3}));
    ASSERT_EQ(view.figure.sources.size(), 2u);
    EXPECT_EQ(view.figure.sources[0].run, "base-s2");
}

TEST(LossView, NaNIsNamedWithItsStepAndLeavesTheRangeFinite) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<RunPointer> runs = {ExampleRun{.losses = {3, 2, nan, nan}}.make()};
    const LossView view = build_loss(runs, plain());
    EXPECT_THAT(view.notes, testing::Contains("base-s1: the loss is not finite from step 3 on"));
    EXPECT_TRUE(std::isfinite(view.figure.y.range.upper));
}

// A rate of 0 was drawn where an imported log has none.
TEST(LossView, WhatAnImportedLogDoesNotKnowIsNeitherDrawnNorBad) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    auto run = *ExampleRun{.losses = {3, 2, 1}}.make();
    auto series = *run.series;
    series.train.lr = {nan, 0.5f, 0.25f};
    series.train.grad_norm = {nan, nan, nan};
    run.series = std::make_shared<const RunSeries>(series);
    const std::vector<RunPointer> runs = {std::make_shared<const headroom::Run>(run)};
    LossSettings settings = plain();
    settings.metric = "train/lr";
    const LossView rates = build_loss(runs, settings);
    EXPECT_THAT(rates.notes, testing::Not(testing::Contains(testing::HasSubstr("not finite"))));
    EXPECT_GT(rates.y_all.lower, 0.2);
    settings.metric = "train/grad_norm";
    EXPECT_EQ(build_loss(runs, settings).figure.empty_text, "No run has logged train/grad_norm");
}

TEST(LossView, SaysWhyThereIsNothingToSee) {
    LossSettings settings = plain();
    EXPECT_EQ(build_loss({}, settings).figure.empty_text, "No run to show");
    const std::vector<RunPointer> waiting = {ExampleRun{}.make()};
    EXPECT_EQ(build_loss(waiting, settings).figure.empty_text, "No step logged yet");
    const std::vector<RunPointer> runs = {two_kinds().make()};
    settings.hidden = {"base-s1"};
    EXPECT_EQ(build_loss(runs, settings).figure.empty_text, "Every run is hidden");
    settings.train = settings.val = false;
    EXPECT_EQ(build_loss(runs, settings).figure.empty_text,
              "Neither training nor validation is shown");
}

TEST(LossView, OnePointHasRoomAroundIt) {
    const std::vector<RunPointer> runs = {ExampleRun{.losses = {5.5f}}.make()};
    for (const bool log : {false, true}) {
        LossSettings settings = plain();
        settings.log_x = settings.log_y = log;
        const LossView view = build_loss(runs, settings);
        EXPECT_LT(view.figure.x.range.lower, 1);
        EXPECT_GT(view.figure.x.range.upper, 1);
        EXPECT_LT(view.figure.y.range.lower, 5.5);
        EXPECT_GT(view.figure.y.range.upper, 5.5);
    }
}

TEST(LossView, ZoomIsKeptAndFitIsKnown) {
    LossSettings settings = plain();
    settings.x_range = Range{1, 2};
    const std::vector<RunPointer> runs = {two_kinds().make()};
    const LossView view = build_loss(runs, settings);
    EXPECT_EQ(view.figure.x.range, (Range{1, 2}));
    EXPECT_GT(view.x_all.upper, 3);
}

TEST(Tips, ListAllVisibleRunsAtTheCursorFromTopToBottom) {
    ExampleRun other = two_kinds();
    other.id = "skip";
    other.losses = {5, 4, 3};
    LossSettings settings = plain();
    settings.smoothing = 0.6;
    settings.val = false;
    const std::vector<RunPointer> runs = {two_kinds().make(), other.make()};
    const std::vector<LossTip> tips = tips_at(build_loss(runs, settings), 2.2);
    ASSERT_EQ(tips.size(), 2u);
    EXPECT_EQ(tips[0].name, "skip");
    EXPECT_EQ(tips[1].name, "base-s1");
    EXPECT_EQ(tips[1].step, 2);
    EXPECT_EQ(tips[1].tokens, 200);
    EXPECT_DOUBLE_EQ(tips[1].seconds, 1.0);
    EXPECT_DOUBLE_EQ(tips[1].raw, 3.0);
    EXPECT_NEAR(tips[1].value, (0.6 * 1.6 + 0.4 * 3) / 0.64, 1e-12);
    settings.hidden = {"skip"};
    EXPECT_EQ(tips_at(build_loss(runs, settings), 2.2).size(), 1u);
}

TEST(LossCsv, EqualsTheView) {
    LossSettings settings = plain();
    settings.x = LossX::kTokens;
    settings.smoothing = 0.6;
    const std::vector<RunPointer> runs = {
        ExampleRun{.losses = {4, 3}, .val_steps = {2}, .val_losses = {3.25f}}.make()};
    EXPECT_EQ(figure_csv(build_loss(runs, settings).figure),
              "# x: training tokens\n"
              "# y: loss (nats per token)\n"
              "# note: training smoothed by 0.6\n"
              "# run: base-s1\n"
              "#   folder: runs/base-s1\n"
              "#   state: finished\n"
              "#   started: 2025-01-31T12:00:00Z\n"
              "#   program: headroom test\n"
              "#   job: {\"name\":\"base-s1\"}\n"
              "series,role,tokens,loss,loss_lower,loss_upper\n"
              "base-s1 train,raw,100,4,,\n"
              "base-s1 train,raw,200,3,,\n"
              "base-s1 train,smoothed,100,4,,\n"
              "base-s1 train,smoothed,200,3.375,,\n"
              "base-s1 val,value,200,3.25,,\n");
}

}  // namespace
}  // namespace headroom
