#include "panels/study/study_comparison.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "panels/study/comparison_rows.h"
#include "panels/study/run_pairing.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

TEST(RunPairing, ARunWithoutAStepIsNoPartner) {
    const RunPointer none = MeasuredRun{.steps = 0}.make(), ten = MeasuredRun{}.make();
    EXPECT_THAT(pairing_problem(*none, *ten, std::nullopt), testing::HasSubstr("no step"));
    EXPECT_THAT(pairing_problem(*ten, *none, std::nullopt), testing::HasSubstr("no step"));
}

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

ComparisonSettings against(const std::string& baseline) {
    ComparisonSettings settings;
    settings.baseline = baseline;
    return settings;
}

TEST(CompareStudy, ReproducesThePairedTestOfAPublishedTable) {
    const StudyComparison result = compare_study(table_5(), against("base-s100"));
    EXPECT_EQ(result.baseline, "base");
    EXPECT_NEAR(result.baseline_moments.mean, 2.7400, 5e-5);
    EXPECT_NEAR(result.baseline_moments.deviation.value(), 0.0154, 5e-5);
    ASSERT_EQ(result.groups.size(), 1u);
    const GroupComparison& skip = result.groups[0];
    EXPECT_EQ(skip.moments.n, 3);
    EXPECT_NEAR(skip.moments.mean, 2.7287, 5e-5);
    EXPECT_NEAR(skip.moments.deviation.value(), 0.0163, 5e-5);
    EXPECT_NEAR(skip.difference.difference, -0.011333, 1e-6);
    EXPECT_NEAR(skip.difference.p.value(), 0.003442, 1e-5) << "float32 losses";
    EXPECT_EQ(skip.p_holm, skip.difference.p);
    EXPECT_EQ(skip.seeds_needed, 3);
    EXPECT_THAT(skip.notes, IsEmpty());
}

// Else the two means differ by something else than the difference, and nothing says why.
TEST(CompareStudy, SaysWhichRunsOfTheBaselineAreInNoPair) {
    std::vector<RunPointer> runs = table_5();
    std::erase_if(runs, [](const RunPointer& run) { return run->id == "skip-s42"; });
    EXPECT_THAT(compare_study(runs, against("base-s100")).groups[0].notes,
                Contains("base-s42 has no partner of seed 42"));
}

TEST(CompareStudy, IsPrintedForAPaperAndInFullForPrograms) {
    const StudyComparison result = compare_study(table_5(), against("base-s100"));
    const std::string latex = latex_table(printed_table(result));
    EXPECT_THAT(latex,
                StartsWith("% validation loss at the end (nats) of every run, paired by seed"));
    EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrrrrrrrr}\n\\toprule\nVariant & n & "));
    EXPECT_THAT(latex, HasSubstr("base & 3 & 2.7400 $\\pm$ 0.0154 & baseline & "));
    const std::string csv = comparison_csv(result);
    EXPECT_THAT(csv, HasSubstr(fmt::format("\nskip,0,3,{},{},{},", result.groups[0].moments.mean,
                                           *result.groups[0].moments.deviation,
                                           result.groups[0].difference.difference)));
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);)
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
}

TEST(CompareStudy, SaysWhereAnEarlierNumberIsFrom) {
    ComparisonSettings settings = against("base-s100");
    const auto title = [&] { return comparison_title(compare_study(table_5(), settings)); };
    EXPECT_THAT(title(), StartsWith("validation loss at the end (nats) of every run"));
    const RunPointer first = table_5().front();
    const std::vector<LossCurvePoint> curve = validation_curve(*first);
    ASSERT_GT(curve.size(), 1u);
    settings.at_tokens = curve[1].tokens;
    EXPECT_THAT(title(), StartsWith(fmt::format("validation loss after {} tokens (nats) of",
                                                curve[1].tokens)));
    settings.at_tokens = curve[1].tokens - 1;
    EXPECT_THAT(title(),
                StartsWith(fmt::format("validation loss after {} tokens, evaluated at {} (nats) of",
                                       curve[1].tokens - 1, curve[0].tokens)));
    settings.measure = Measure::parse("best");
    EXPECT_THAT(title(), StartsWith(fmt::format("best validation loss until {} tokens (nats) of",
                                                curve[1].tokens - 1)));
}

// Else the run that was evaluated later seems better.
TEST(CompareStudy, NumbersFromOtherTokensAreNoPair) {
    const std::vector<RunPointer> runs = {
        MeasuredRun{.seed = 1, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.group = "often", .val_losses = {5, 4.6f, 4.2f, 3.8f, 3.4f, 3}, .eval_every = 2}
            .make()};
    ComparisonSettings settings = against("base");
    settings.at_tokens = 1000;
    EXPECT_EQ(compare_study(runs, settings).groups[0].difference.difference, 0);
    settings.at_tokens = 800;
    const GroupComparison apart = compare_study(runs, settings).groups[0];
    EXPECT_EQ(apart.moments.n, 0);
    EXPECT_THAT(apart.notes, Contains(HasSubstr("last evaluated at 800 and 500 tokens")));
    settings.welch = true;
    EXPECT_THAT(compare_study(runs, settings).groups[0].notes,
                Contains(HasSubstr("not all of these runs were evaluated after equal tokens")));
}

TEST(CompareStudy, ASeedThatRepeatsCountsOnce) {
    std::vector<RunPointer> runs = table_5();
    runs.push_back(
        MeasuredRun{.group = "skip", .seed = 42, .val_losses = {5, 4, 1}, .repeats = true}.make());
    const GroupComparison skip = compare_study(runs, against("base")).groups[0];
    EXPECT_EQ(skip.moments.n, 3);
    EXPECT_THAT(skip.notes, Contains(HasSubstr("repeats seed 42")));
}

TEST(CompareStudy, WhatIsNoPairIsLeftOutAndSaid) {
    std::vector<RunPointer> runs = {run("base", 1, 3), run("base", 2, 3.1f),
                                    MeasuredRun{.group = "skip", .seed = 1, .data = 8}.make(),
                                    run("skip", 2, 3), run("skip", 3, 3)};
    const GroupComparison skip = compare_study(runs, against("base")).groups[0];
    EXPECT_EQ(skip.moments.n, 1);
    EXPECT_FALSE(skip.difference.p.has_value());
    EXPECT_THAT(skip.notes, Contains(HasSubstr("different batches at step 1")));
    EXPECT_THAT(skip.notes, Contains(HasSubstr("no partner of seed 3")));
    EXPECT_THAT(skip.notes, Contains(HasSubstr("no interval")));
}

TEST(CompareStudy, OtherLengthsAndMissingHashesAreNoPair) {
    const RunPointer base = run("base", 1, 3);
    EXPECT_EQ(pairing_problem(*base, *run("skip", 1, 3), {}), "");
    const RunPointer shorter = MeasuredRun{.group = "skip", .steps = 8}.make();
    EXPECT_THAT(pairing_problem(*base, *shorter, {}), HasSubstr("10 and 8 steps"));
    EXPECT_EQ(pairing_problem(*base, *shorter, 500), "") << "up to there they agree";
    headroom::Run without = *base;
    auto series = *without.series;
    series.train.batch_hash.clear();
    without.series = std::make_shared<RunSeries>(series);
    EXPECT_THAT(pairing_problem(*base, without, {}), HasSubstr("no batch hashes"));
    for (size_t i = 0; i < series.train.step.size(); ++i)
        series.train.batch_hash.push_back(0);  // as imported logs have them
    without.series = std::make_shared<RunSeries>(series);
    EXPECT_THAT(pairing_problem(without, without, {}), HasSubstr("no batch hashes"));
}

RunPointer with_training(const RunPointer& run, const TrainConfig& train) {
    headroom::Run changed = *run;
    Job job;
    job.train = train;
    changed.job = std::make_shared<const Job>(job);
    return std::make_shared<const headroom::Run>(changed);
}

RunPointer evaluated_on(const RunPointer& run, uint64_t hash) {
    headroom::Run changed = *run;
    auto series = *run->series;
    series.val.batch_hash.clear();
    for (size_t i = 0; i < series.val.step.size(); ++i) series.val.batch_hash.push_back(hash);
    changed.series = std::make_shared<RunSeries>(series);
    return std::make_shared<const headroom::Run>(changed);
}

// A validation file that was replaced between two runs made a difference of data one of models.
TEST(CompareStudy, OtherValidationDataAreNoPairOfLosses) {
    const TrainConfig train;
    const auto compared = [&](uint64_t a, uint64_t b) {
        return compare_study({evaluated_on(with_training(run("base", 1, 3), train), a),
                              evaluated_on(with_training(run("base9", 1, 3.1f), train), b)},
                             against("base"))
            .groups[0];
    };
    EXPECT_EQ(compared(7, 7).moments.n, 1);
    EXPECT_EQ(compared(7, 0).moments.n, 1) << "logs of before do not tell";
    EXPECT_EQ(compared(7, 8).moments.n, 0);
    EXPECT_THAT(compared(7, 8).notes, Contains(HasSubstr("validation data were not the same")));
}

TEST(CompareStudy, EvaluationBatchesOfAnotherShapeTellNothingOfTheirData) {
    TrainConfig train, longer;
    longer.seq_len = 2 * train.seq_len;
    EXPECT_EQ(evaluation_problem(*evaluated_on(with_training(run("a", 1, 3), train), 7),
                                 *evaluated_on(with_training(run("b", 1, 3), longer), 8)),
              "");
}

// Two runs of equal losses differed with p 0.02, as one was evaluated on more sequences.
TEST(CompareStudy, OtherEvaluationsAreNoPairOfLosses) {
    TrainConfig train, more;
    more.eval_batches = 2 * train.eval_batches;
    const std::vector<RunPointer> runs{with_training(run("base", 1, 3), train),
                                       with_training(run("base9", 1, 3.1f), more)};
    const GroupComparison losses = compare_study(runs, against("base")).groups[0];
    EXPECT_EQ(losses.moments.n, 0);
    EXPECT_THAT(losses.notes, Contains(HasSubstr("are evaluated on")));
    ComparisonSettings norms = against("base");
    norms.measure = Measure::parse("train/grad_norm");
    EXPECT_EQ(compare_study(runs, norms).groups[0].moments.n, 1);
    more = train;
    more.objective = TrainingObjective::kMasked;
    EXPECT_THAT(pairing_problem(*runs[0], *with_training(runs[1], more), {}),
                HasSubstr("objectives differ"));
}

TEST(CompareStudy, SaysWhatElseDiffersOnAnotherBase) {
    const auto on = [](const RunPointer& run, const char* base) {
        auto changed = std::make_shared<headroom::Run>(*run);
        Job job;
        job.model.base = base;
        changed->job = std::make_shared<const Job>(job);
        return RunPointer(changed);
    };
    const std::vector<RunPointer> runs{on(run("base", 1, 3), "gpt2"), on(run("gqa", 1, 2), "llama"),
                                       on(run("skip", 1, 2), "gpt2")};
    const auto groups = compare_study(runs, against("base")).groups;
    EXPECT_THAT(groups[0].notes, Contains(HasSubstr("gqa is built on llama, base on gpt2: norms")));
    EXPECT_THAT(groups[1].notes, Not(Contains(HasSubstr("built on"))));
}

// Half-way on its schedule a longer run has the higher rate, and at equal tokens the higher loss.
TEST(CompareStudy, OtherSchedulesAreNoPairAlsoBeforeTheirEnds) {
    TrainConfig train, longer;
    train.steps = 10;
    longer.steps = 15;
    const RunPointer base = with_training(run("base", 1, 3), train);
    const RunPointer other = with_training(run("long", 1, 3), longer);
    EXPECT_THAT(pairing_problem(*base, *other, 500), HasSubstr("fall over 10 and 15 steps"));
    train.min_lr = longer.min_lr = train.lr;
    EXPECT_EQ(pairing_problem(*with_training(base, train), *with_training(other, longer), 500), "");
}

TEST(CompareStudy, AConstantRateIsNoScheduleThatFalls) {
    TrainConfig constant, falls;
    constant.steps = 10;
    constant.min_lr = constant.lr;
    falls.steps = 15;
    const RunPointer a = with_training(run("base", 1, 3), constant),
                     b = with_training(run("long", 1, 3), falls);
    EXPECT_THAT(pairing_problem(*a, *b, 500), HasSubstr("fall over 10 and 15 steps"));
    EXPECT_THAT(pairing_problem(*b, *a, 500), HasSubstr("fall over 15 and 10 steps"));
}

TEST(CompareStudy, OtherSequencesAreNoPair) {
    TrainConfig train, longer;
    longer.seq_len = 2 * train.seq_len;
    EXPECT_EQ(pairing_problem(*with_training(run("a", 1, 3), train),
                              *with_training(run("b", 1, 3), longer), {}),
              "their batches differ in size");
}

TEST(CompareStudy, SaysHowFarABaselineGot) {
    ComparisonSettings late = against("base");
    late.at_tokens = 5000;
    try {
        compare_study({run("base", 1, 3), run("skip", 1, 3)}, late);
        ADD_FAILURE();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("at most 1000"));
    }
}

TEST(CompareStudy, UnfinishedRunsHaveNoFinalLoss) {
    std::vector<RunPointer> runs = {
        run("base", 1, 3),
        MeasuredRun{.group = "skip", .state = RunState::kRunning, .steps = 7}.make()};
    EXPECT_THAT(compare_study(runs, against("base")).groups[0].notes,
                Contains(HasSubstr("not finished")));
    const RunPointer wild =
        MeasuredRun{.group = "wild", .state = RunState::kDiverged, .steps = 7}.make();
    EXPECT_THAT(compare_study({runs[0], wild}, against("base")).groups[0].notes,
                Contains("wild-s1 diverged at step 7"));
    ComparisonSettings early = against("base");
    early.at_tokens = 500;
    const GroupComparison skip = compare_study(runs, early).groups[0];
    EXPECT_EQ(skip.moments.n, 1);
    EXPECT_DOUBLE_EQ(skip.moments.mean, 4);
}

TEST(CompareStudy, MeasuresAnySeries) {
    std::vector<RunPointer> runs = {MeasuredRun{.val_losses = {5, 2, 3}}.make(),
                                    MeasuredRun{.group = "skip", .val_losses = {5, 4, 3}}.make()};
    const auto mean = [&](const std::string& measure) {
        ComparisonSettings settings = against("base");
        settings.measure = Measure::parse(measure);
        EXPECT_EQ(settings.measure.name(), measure);
        return compare_study(runs, settings).groups[0].difference.difference;
    };
    EXPECT_DOUBLE_EQ(mean("final"), 0);
    EXPECT_DOUBLE_EQ(mean("best"), 1);
    EXPECT_DOUBLE_EQ(mean("last-2"), 1);
    EXPECT_DOUBLE_EQ(mean("train/grad_norm"), 0);
    EXPECT_EQ(Measure::parse("val.loss").kind, Measure::Kind::kFinal);
    EXPECT_EQ(Measure::parse("val.best").kind, Measure::Kind::kBest);
    EXPECT_THROW(Measure::parse("lasst"), UserError);
    EXPECT_THROW(Measure::parse("last-0"), UserError);
    EXPECT_THROW(compare_study(runs, against("nobody")), UserError);
}

// An imported log has no gradient norm: the comparison printed 0.0000.
TEST(CompareStudy, ASeriesThatIsNeverANumberIsNotThere) {
    auto imported = *MeasuredRun{.group = "skip"}.make();
    auto series = *imported.series;
    series.train.grad_norm.clear();
    for (size_t i = 0; i < series.train.step.size(); ++i)
        series.train.grad_norm.push_back(std::nanf(""));
    imported.series = std::make_shared<const RunSeries>(series);
    ComparisonSettings settings = against("base");
    settings.measure = Measure::parse("train/grad_norm");
    const GroupComparison skip =
        compare_study({MeasuredRun{}.make(), std::make_shared<const headroom::Run>(imported)},
                      settings)
            .groups[0];
    EXPECT_EQ(skip.moments.n, 0);
    EXPECT_THAT(skip.notes, Contains("skip-s1 without train/grad_norm"));
}

TEST(CompareStudy, WelchIsOnlyOnAPersonsWord) {
    ComparisonSettings settings = against("base");
    settings.welch = true;
    const StudyComparison result = compare_study(table_5(), settings);
    EXPECT_FALSE(result.paired);
    EXPECT_GT(result.groups[0].difference.p.value(), 0.4) << "the seeds' spread hides it";
    EXPECT_FALSE(result.groups[0].seeds_needed.has_value());
}

// It gave p 0.01 between losses over two different validation files.
TEST(CompareStudy, WelchLeavesOutWhatWasEvaluatedOnOtherTokens) {
    ComparisonSettings settings = against("base");
    settings.welch = true;
    std::vector<RunPointer> runs = table_5();
    for (size_t i = 0; i < runs.size(); ++i)
        runs[i] = evaluated_on(with_training(runs[i], TrainConfig{}), i == 3 ? 8 : 7);
    const GroupComparison skip = compare_study(runs, settings).groups[0];
    EXPECT_EQ(skip.moments.n, 2);
    EXPECT_NEAR(skip.moments.mean, (2.743 + 2.732) / 2, 1e-6);
    EXPECT_THAT(skip.notes,
                Contains(AllOf(HasSubstr("skip-s42"), HasSubstr("validation data were not"))));
    for (size_t i = 3; i < runs.size(); ++i) runs[i] = evaluated_on(runs[i], 8);
    EXPECT_FALSE(compare_study(runs, settings).groups[0].difference.p);
    // One of the baseline's that was evaluated otherwise is left out of its mean, too.
    for (size_t i = 0; i < runs.size(); ++i) runs[i] = evaluated_on(runs[i], i == 2 ? 8 : 7);
    const StudyComparison odd = compare_study(runs, settings);
    EXPECT_EQ(odd.baseline_moments.n, 2);
    EXPECT_THAT(odd.baseline_notes, Contains(HasSubstr("base-s2025")));
    EXPECT_EQ(odd.groups[0].moments.n, 3);
}

/// The curve falls from 4 at 500 to 3 at 1000 tokens: 3.5 is reached at 750.
TEST(TokensSaved, AreReadBetweenTheEvaluations) {
    const std::vector<LossCurvePoint> curve = {{0, 5}, {500, 4}, {1000, 3}};
    EXPECT_DOUBLE_EQ(tokens_saved(curve, 3.5, 1000).value(), 0.25);
    EXPECT_DOUBLE_EQ(tokens_saved(curve, 3, 1000).value(), 0);
    EXPECT_DOUBLE_EQ(tokens_saved(curve, 6, 1000).value(), 1);
    EXPECT_FALSE(tokens_saved(curve, 2.9, 1000).has_value()) << "not reached";
    const std::vector<LossCurvePoint> returns = {{0, 5}, {500, 3}, {750, 4}, {1000, 3}};
    EXPECT_DOUBLE_EQ(tokens_saved(returns, 3.5, 1000).value(), 0.125) << "where it stays below";
}

TEST(MeanOf, IsOfEvaluationsAfterEqualTokens) {
    const std::vector<LossCurvePoint> mean =
        mean_of({{{100, 4}, {200, 3}, {300, 2}}, {{100, 2}, {250, 9}, {300, 1}}});
    ASSERT_EQ(mean.size(), 2u);
    EXPECT_EQ(mean[0].tokens, 100);
    EXPECT_EQ(mean[0].loss, 3);
    EXPECT_EQ(mean[1].tokens, 300);
    EXPECT_EQ(mean[1].loss, 1.5);
}

TEST(TokensSaved, EndWhereTheComparisonDoes) {
    const std::vector<RunPointer> runs = {
        MeasuredRun{.seed = 1, .val_losses = {5, 4, 1}}.make(),
        MeasuredRun{.group = "skip", .seed = 1, .val_losses = {5, 3, 2}}.make()};
    ComparisonSettings settings = against("base-s1");
    EXPECT_FALSE(compare_study(runs, settings).groups[0].tokens_saved) << "1 is never reached";
    settings.at_tokens = 500;
    const auto saved = compare_study(runs, settings).groups[0].tokens_saved;
    ASSERT_TRUE(saved) << "4 is, before 500 tokens";
    EXPECT_NEAR(*saved, 0.5, 1e-12);
}

// A variant with a smaller norm of the gradient was "not reached", under the heading of norms.
TEST(TokensSaved, AreToldOfValidationLossAlone) {
    const std::vector<RunPointer> runs = {
        MeasuredRun{.seed = 1, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.group = "skip", .seed = 1, .val_losses = {5, 4, 2}}.make()};
    ComparisonSettings settings = against("base");
    for (const char* losses : {"final", "best", "perplexity", "val/loss"}) {
        settings.measure = Measure::parse(losses);
        EXPECT_TRUE(compare_study(runs, settings).groups[0].tokens_saved) << losses;
    }
    settings.measure = Measure::parse("train/grad_norm");
    const StudyComparison norms = compare_study(runs, settings);
    EXPECT_FALSE(norms.groups[0].tokens_saved);
    EXPECT_EQ(comparison_rows(norms).back().back(), "-");
}

TEST(TokensSaved, OfAStudyIsOfMeanCurvesWithAnIntervalOverThePairs) {
    const std::vector<RunPointer> runs = {
        MeasuredRun{.seed = 1, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.seed = 2, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.group = "skip", .seed = 1, .val_losses = {5, 4, 2}}.make(),
        MeasuredRun{.group = "skip", .seed = 2, .val_losses = {5, 3.5f, 2.5f}}.make()};
    const GroupComparison skip = compare_study(runs, against("base")).groups[0];
    // Mean curve 5, 3.75, 2.25: 3 at 750 tokens. The pairs alone: 750 and 750.
    EXPECT_NEAR(skip.tokens_saved.value(), 0.25, 1e-12);
    EXPECT_NEAR(skip.tokens_saved_interval.value().low, 0.25, 1e-12);
}

// "75.0 % [75.0, 75.0]" said that it had been measured exactly.
TEST(TokensSaved, ByTheFirstEvaluationAreABound) {
    std::vector<RunPointer> runs = {
        MeasuredRun{.seed = 1, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.seed = 2, .val_losses = {5, 4, 3}}.make(),
        MeasuredRun{.group = "skip", .seed = 1, .val_losses = {2.5f, 2.25f, 2}}.make(),
        MeasuredRun{.group = "skip", .seed = 2, .val_losses = {2.5f, 2.25f, 2}}.make()};
    for (RunPointer& each : runs) {  // the first evaluation is none of the untrained model
        headroom::Run later = *each;
        RunSeries series = *later.series;
        series.val.step = {};
        series.val.tokens = {};
        for (const int64_t step : {2, 5, 10}) {
            series.val.step.push_back(step);
            series.val.tokens.push_back(100 * step);
        }
        later.series = std::make_shared<const RunSeries>(std::move(series));
        each = std::make_shared<const headroom::Run>(std::move(later));
    }
    const StudyComparison result = compare_study(runs, against("base"));
    const GroupComparison& skip = result.groups[0];
    EXPECT_DOUBLE_EQ(skip.tokens_saved.value(), 0.8);
    EXPECT_TRUE(skip.tokens_saved_at_least);
    EXPECT_FALSE(skip.tokens_saved_interval);
    EXPECT_THAT(skip.notes, Contains(HasSubstr("by its first evaluation")));
    EXPECT_THAT(comparison_rows(result).back(), Contains(">= 80.0 %"));
}

}  // namespace
}  // namespace headroom
