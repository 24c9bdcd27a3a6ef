#include "panels/results/results_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/config/job_json.h"
#include "panels/figure/figure_csv.h"
#include "panels/figure/palette.h"
#include "tests/panels/study/measured_run.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run called `name` at rate `lr` that came to `loss`.
RunPointer at_rate(const std::string& name, double lr, int64_t seed, float loss,
                   RunState state = RunState::kFinished) {
    const RunPointer made = MeasuredRun{.group = name + " lr " + std::to_string(lr),
                                        .seed = seed,
                                        .val_losses = {5, 4, loss},
                                        .state = state}
                                .make();
    Run run = *made;
    run.job =
        std::make_shared<const Job>(parse_job({{"name", name + "-s" + std::to_string(seed)},
                                               {"seed", seed},
                                               {"model",
                                                {{"preset", "demo"},
                                                 {"vocab_size", 256},
                                                 {"arch", name == "wq" ? "wq_identity" : "gpt2"}}},
                                               {"train", {{"lr", lr}}}},
                                              ""));
    return std::make_shared<const Run>(run);
}

ResultsSettings against(const std::string& x) {
    ResultsSettings settings;
    settings.x = x;
    return settings;
}

std::vector<RunPointer> rates() {
    return {at_rate("base", 2e-3, 1, 3.0f),
            at_rate("base", 2e-3, 2, 3.25f),
            at_rate("base", 1e-3, 1, 3.5f),
            at_rate("base", 1e-3, 2, 3.0f),
            at_rate("wq", 1e-3, 1, 3.5f),
            at_rate("wq", 2e-3, 1, 2.5f),
            at_rate("wq", 4e-3, 1, 9, RunState::kDiverged)};
}

TEST(ResultsView, LinesHaveTheColoursThatTheirVariantsHaveEverywhere) {
    std::vector<RunPointer> runs = rates();
    for (RunPointer& run : runs) {
        headroom::Run colored = *run;
        colored.color = run->job->name.starts_with("wq") ? 2 : 7;
        run = std::make_shared<const headroom::Run>(colored);
    }
    const auto color = [&](const ResultsView& view, const std::string& name) {
        for (const FigureSeries& series : view.figure.series)
            if (series.name == name) return series.style.color;
        return -1;
    };
    const ResultsView view = build_results(runs, against("lr"));
    EXPECT_EQ(color(view, "base"), run_style(7).color);
    EXPECT_EQ(color(view, "wq"), run_style(2).color);
    for (RunPointer& run : runs) {
        headroom::Run alike = *run;
        alike.color = 7;
        run = std::make_shared<const headroom::Run>(alike);
    }
    const ResultsView told_apart = build_results(runs, against("lr"));
    EXPECT_NE(color(told_apart, "base"), color(told_apart, "wq"));
}

TEST(ResultsView, RefusesAKeyThatARunDoesNotAsk) {
    try {
        build_results(rates(), against("model.skip_ratio"));
        FAIL() << "drawn where the baseline has a ratio that counts for nothing";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("model.skip_ratio has no effect in"));
    }
}

const FigureSeries* published_of(const Figure& figure, const std::string& line) {
    for (const FigureSeries& series : figure.series)
        if (series.role == "published: a paper" && series.name == line) return &series;
    return nullptr;
}

TEST(ResultsView, VariantsOfOneRateAreBarsThatDoNotHideEachOther) {
    const std::vector<RunPointer> runs{at_rate("base", 1e-3, 1, 3.0f),
                                       at_rate("base", 1e-3, 2, 3.25f),
                                       at_rate("wq", 1e-3, 1, 3.0f), at_rate("wq", 1e-3, 2, 3.25f)};
    const Figure figure = build_results(runs, against("lr")).figure;
    ASSERT_EQ(figure.series.size(), 2u);
    EXPECT_EQ(figure.series[0].aside, -figure.series[1].aside);
    EXPECT_LT(figure.series[0].aside, 0);
    EXPECT_THAT(figure.footnote, HasSubstr("bars: 95 % t-interval"));
    EXPECT_THAT(figure.footnote, HasSubstr("side by side"));
    EXPECT_THAT(build_results(rates(), against("lr")).figure.footnote, HasSubstr("band: 95 %"));
}

TEST(ResultsView, HollowMarksAreWhatWasPublished) {
    const std::vector<RunPointer> runs = rates();
    ResultsSettings settings = against("lr");
    settings.published = {{"a paper", 1.5, runs[0]}, {"a paper", 8, runs[4]}};
    const ResultsView view = build_results(runs, settings);
    const FigureSeries* base = published_of(view.figure, "base");
    ASSERT_NE(base, nullptr);
    EXPECT_TRUE(base->style.hollow);
    EXPECT_FALSE(base->style.line);
    EXPECT_THAT(base->data->x(), ElementsAre(2e-3));
    EXPECT_THAT(base->data->y(), ElementsAre(1.5));
    ASSERT_NE(published_of(view.figure, "wq"), nullptr);
    EXPECT_NE(published_of(view.figure, "wq")->style.color, base->style.color);
    EXPECT_LT(view.figure.y.range.lower, 1.5);
    EXPECT_GT(view.figure.y.range.upper, 8);
    ASSERT_EQ(view.figure.keys.size(), 1u);
    EXPECT_EQ(view.figure.keys[0].name, "a paper (published)");
    EXPECT_THAT(view.figure.footnote, HasSubstr("of another scale"));
}

TEST(ResultsView, PublishedDifferencesToTheReferenceLieOnOurs) {
    const std::vector<RunPointer> runs = rates();  // wq at 1e-3 came to 3.5
    ResultsSettings settings = against("lr");
    settings.reference = runs[4]->id;
    settings.published = {{"a paper", 1.5, runs[0]}, {"a paper", 1.75, runs[4]}};
    const ResultsView view = build_results(runs, settings);
    ASSERT_NE(published_of(view.figure, "base"), nullptr);
    EXPECT_THAT(published_of(view.figure, "base")->data->y(), ElementsAre(3.25));
    EXPECT_EQ(published_of(view.figure, "wq"), nullptr);
    EXPECT_THAT(view.figure.footnote, HasSubstr("differences to " + runs[4]->group));
}

TEST(ResultsView, SaysOfEachSourceWhetherItsMarksAreDifferences) {
    const std::vector<RunPointer> runs = rates();
    ResultsSettings settings = against("lr");
    settings.reference = runs[4]->id;
    settings.published = {
        {"a paper", 1.5, runs[0]}, {"a paper", 1.75, runs[4]}, {"another", 3, runs[0]}};
    const std::string note = build_results(runs, settings).figure.footnote;
    EXPECT_THAT(note, HasSubstr("hollow in a paper: published differences to"));
    EXPECT_THAT(note, HasSubstr("hollow in another: published, of another scale"));
}

TEST(PublishedPoints, AreThoseOfTheStudiesThatTheRunsLieIn) {
    const TemporaryFolder folder;
    write_plainly(folder / "study.json", R"({
        "schema": "headroom-study/1", "name": "s",
        "job": {"model": {"preset": "tiny"}, "data": {"train": "task:grammar"}},
        "published": [{"source": "a paper", "measure": "final", "values": {"a": 3, "b": 2}},
                      {"source": "a paper", "measure": "perplexity", "values": {"a": 20}}],
        "runs": [{"id": "a", "seeds": [1, 2]}, {"id": "b"}]})");
    std::vector<RunPointer> runs = rates();
    for (size_t i = 0; i < 2; ++i) {
        headroom::Run run = *runs[i];
        run.folder = folder / (i == 0 ? "runs/a-s2" : "runs/elsewhere");
        runs[i] = std::make_shared<const headroom::Run>(run);
    }
    const auto points = published_points(runs, Measure::parse("final"));
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].source, "a paper");
    EXPECT_EQ(points[0].value, 3);
    EXPECT_EQ(points[0].run, runs[0]);
    EXPECT_EQ(published_points(runs, Measure::parse("perplexity")).size(), 1u);
    EXPECT_TRUE(published_points(runs, Measure::parse("best")).empty());
}

TEST(ResultsView, DrawsALinePerNameThroughTheMeansOfItsSeeds) {
    const ResultsView view = build_results(rates(), against("lr"));
    ASSERT_EQ(view.lines.size(), 2u);
    const ResultsLine& base = view.lines[0];
    EXPECT_EQ(base.name, "base");
    ASSERT_EQ(base.points.size(), 2u);
    EXPECT_EQ(base.points[0].x, 1e-3);
    EXPECT_EQ(base.points[0].spread.mean, 3.25);
    EXPECT_EQ(base.points[1].spread.mean, 3.125);
    EXPECT_EQ(base.points[1].n, 2);
    // t(0.975, 1) = 12.7062; s / √2 = 0.125
    EXPECT_NEAR(base.points[1].spread.upper, 3.125 + 12.7062 * 0.125, 1e-3);
    EXPECT_EQ(base.best_x, 2e-3);
    EXPECT_THAT(base.best_x_of_seeds, ElementsAre(2e-3, 1e-3));
    EXPECT_THAT(view.notes, Contains("base: least at train.lr 0.002 (of the seeds: 0.002, 0.001)"));
    EXPECT_EQ(view.figure.x.column, "train.lr");
    EXPECT_EQ(view.figure.bands.size(), 1u) << "one seed has no band";
}

TEST(ResultsView, AnAccuracyIsBestWhereItIsGreatest) {
    std::vector<RunPointer> runs = rates();
    for (RunPointer& run : runs) run = with_accuracy(run);
    ResultsSettings settings = against("lr");
    settings.measure = Measure::parse("scalars/val_accuracy");
    const ResultsView view = build_results(runs, settings);
    EXPECT_EQ(view.lines[0].best_x, 1e-3);
    EXPECT_THAT(view.lines[0].best_x_of_seeds, ElementsAre(1e-3, 2e-3));
    EXPECT_THAT(view.notes, Contains(HasSubstr("base: greatest at train.lr 0.001")));
}

TEST(ResultsView, TheBestOfASeedIsOfOneThatHasEveryPoint) {
    std::vector<RunPointer> runs = rates();
    runs.push_back(at_rate("base", 4e-3, 1, 3.75f));
    runs.push_back(at_rate("base", 4e-3, 2, 3.5f));
    runs.push_back(at_rate("base", 4e-3, 3, 2.75f));
    const ResultsView view = build_results(runs, against("lr"));
    ASSERT_EQ(view.lines[0].name, "base");
    EXPECT_THAT(view.lines[0].best_x_of_seeds, ElementsAre(2e-3, 1e-3)) << "of seeds 1 and 2";
}

TEST(ResultsView, APointThatLacksOneOfThreeSeedsIsNamed) {
    std::vector<RunPointer> runs = rates();
    runs.push_back(at_rate("base", 1e-3, 3, 3.25f));
    EXPECT_THAT(build_results(runs, against("lr")).figure.footnote,
                HasSubstr("base: not of all 3 seeds at train.lr 0.002 (2)"));
}

TEST(ResultsView, ADivergenceIsACrossAtTheUpperEdge) {
    const ResultsView view = build_results(rates(), against("train.lr"));
    EXPECT_EQ(view.lines[1].points.at(2).diverged, 1);
    EXPECT_EQ(view.lines[1].points.at(2).n, 0);
    const FigureSeries& cross = view.figure.series.back();
    EXPECT_EQ(cross.role, "diverged");
    EXPECT_EQ(cross.style.marker, Marker::kCross);
    EXPECT_THAT(cross.data->x(), ElementsAre(4e-3));
    double drawn = 0;  // the band reaches further than any mean
    for (const ResultsPoint& point : view.lines[0].points)
        drawn = std::max(drawn, point.spread.upper);
    EXPECT_GT(cross.data->y()[0], drawn);
    EXPECT_TRUE(view.figure.y.range.contains(cross.data->y()[0]));
    EXPECT_THAT(view.notes, Contains(HasSubstr("training diverged")));
    EXPECT_THAT(figure_csv(view.figure), HasSubstr(",diverged,0.004,,,,\n")) << "it has no loss";
}

TEST(ResultsView, ASeedThatWasTrainedTwiceDivergesOnce) {
    std::vector<RunPointer> runs = rates();
    headroom::Run again = *runs.back();
    again.repeats = true;
    runs.push_back(std::make_shared<const headroom::Run>(again));
    EXPECT_EQ(build_results(runs, against("lr")).lines[1].points.at(2).diverged, 1);
}

TEST(ResultsView, OnlyADivergenceIsACross) {
    std::vector<RunPointer> runs = rates();
    ASSERT_EQ(run_style(5).marker, Marker::kCross);
    for (RunPointer& run : runs) {
        headroom::Run colored = *run;
        colored.color = run->job->name.starts_with("wq") ? 2 : 5;
        run = std::make_shared<const headroom::Run>(colored);
    }
    for (const FigureSeries& series : build_results(runs, against("lr")).figure.series)
        EXPECT_EQ(series.style.marker == Marker::kCross, series.role == "diverged") << series.name;
}

TEST(ResultsView, AReferenceIsARule) {
    ResultsSettings settings = against("train.lr");
    std::vector<RunPointer> runs = rates();
    headroom::Run colored = *runs[2];
    colored.color = 3;
    colored.shade = 2;
    runs[2] = std::make_shared<const headroom::Run>(colored);
    settings.reference = runs[2]->id;
    const ResultsView view = build_results(runs, settings);
    ASSERT_EQ(view.figure.rules.size(), 1u);
    EXPECT_EQ(view.figure.rules[0].at, 3.25);
    EXPECT_EQ(view.figure.rules[0].run->color, 3);
    EXPECT_EQ(view.figure.rules[0].run->shade, 2);
    EXPECT_EQ(view.lines[0].points.size(), 1u) << "and no point";
}

TEST(ResultsView, DifferencesAreOfEqualSeedsAndRunsWithoutAPartnerAreNamed) {
    std::vector<RunPointer> runs = rates();
    runs.push_back(at_rate("base", 2e-3, 3, 9.0f));
    ResultsSettings settings = against("train.lr");
    settings.reference = runs[2]->id;  // 3.5 and 3.0 of seeds 1 and 2
    settings.relative = true;
    const ResultsView view = build_results(runs, settings);
    EXPECT_EQ(view.lines[0].points.at(0).n, 2);
    EXPECT_EQ(view.lines[0].points.at(0).spread.mean, (-0.5 + 0.25) / 2);
    EXPECT_EQ(view.figure.rules.at(0).at, 0);
    EXPECT_THAT(view.figure.rules[0].label, HasSubstr("0 = base"));
    EXPECT_THAT(view.figure.y.label, HasSubstr(", less base"));
    EXPECT_THAT(view.notes, Contains(HasSubstr("has no seed 3")));
}

TEST(ResultsView, APointOfFewerSeedsIsNamedAndCounted) {
    std::vector<RunPointer> runs = rates();
    runs.erase(runs.begin() + 3);  // seed 2 at 0.001
    const ResultsView view = build_results(runs, against("train.lr"));
    EXPECT_EQ(view.figure.series[0].legend, "base (1 to 2 seeds)");
    EXPECT_THAT(view.figure.series[0].counts, ElementsAre(1, 2));
    EXPECT_THAT(view.notes, Contains("base: not of all 2 seeds at train.lr 0.001 (1)"));
    const std::string csv = figure_csv(view.figure);
    EXPECT_THAT(csv, HasSubstr("_upper,n\n"));
    EXPECT_THAT(csv, HasSubstr("base,mean,0.001,3.5,,,1\n"));
}

TEST(ResultsView, LinesMayBeValuesOfAKey) {
    ResultsSettings settings = against("params");
    settings.by = "model.arch";
    const ResultsView view =
        build_results({at_rate("base", 1e-3, 1, 3), at_rate("wq", 1e-3, 1, 3)}, settings);
    EXPECT_EQ(view.lines.size(), 2u);
    EXPECT_EQ(view.lines[0].name, "gpt2");
}

TEST(ResultsView, ValuesThatLookAlikeAreLinesOfTheirOwn) {
    const auto on = [](const char* text, float loss) {
        headroom::Run run = *at_rate(text, 1e-3, 1, loss);
        Job job = *run.job;
        job.data.train = std::string("text:/") + text + "/book.txt";
        run.job = std::make_shared<const Job>(job);
        return std::make_shared<const headroom::Run>(run);
    };
    ResultsSettings settings = against("lr");
    settings.by = "data.train";
    const ResultsView view = build_results({on("one", 3), on("two", 4)}, settings);
    ASSERT_EQ(view.lines.size(), 2u);
    EXPECT_EQ(view.lines[0].name, "one/book.txt");
    EXPECT_EQ(view.lines[1].name, "two/book.txt");
}

/// The run under other names: of its job, of its group and of a person.
RunPointer called(const RunPointer& made, const std::string& name, const std::string& group,
                  const std::string& label = "") {
    headroom::Run run = *made;
    Job job = *made->job;
    job.name = name;
    run.job = std::make_shared<const Job>(job);
    run.group = group;
    run.label.name = label;
    return std::make_shared<const headroom::Run>(run);
}

TEST(ResultsView, SeedsOfOneGroupAreOnePointWhateverTheirJobsAreCalled) {
    const ResultsView view =
        build_results({called(at_rate("base", 1e-3, 1, 3), "baseline", "baseline"),
                       called(at_rate("base", 1e-3, 2, 4), "gpt2-s2", "baseline")},
                      against("params"));
    ASSERT_EQ(view.lines.size(), 1u);
    EXPECT_EQ(view.lines[0].name, "baseline");
    EXPECT_EQ(view.lines[0].points[0].n, 2);
}

TEST(ResultsView, DifferentModelsOfOneNameAreLinesOfTheirOwn) {
    const auto ours = [](const char* arch, double lr, int64_t seed) {
        return called(at_rate(arch, lr, seed, 3), "ours", fmt::format("ours {} lr {}", arch, lr),
                      "ours");
    };
    const ResultsView view = build_results(
        {ours("base", 1e-3, 1), ours("base", 2e-3, 1), ours("wq", 1e-3, 1), ours("wq", 2e-3, 1)},
        against("lr"));
    ASSERT_EQ(view.lines.size(), 2u);
    EXPECT_THAT(view.lines[0].name, testing::StartsWith("ours · arch gpt2"));
    EXPECT_THAT(view.lines[1].name, testing::StartsWith("ours · arch wq_identity"));
    for (const ResultsLine& line : view.lines) {
        ASSERT_EQ(line.points.size(), 2u) << "one line through all x";
        EXPECT_EQ(line.points[0].n, 1);
    }
}

TEST(ResultsView, SaysWhereAValueStandsForSeveralVariants) {
    ResultsSettings settings = against("lr");
    settings.by = "model.n_layer";
    const ResultsView view =
        build_results({at_rate("base", 1e-3, 1, 3), at_rate("wq", 1e-3, 1, 3)}, settings);
    EXPECT_THAT(view.notes, Contains(HasSubstr("means over different variants, at train.lr 0.001 "
                                               "over base lr 0.001000 and wq lr 0.001000")));
}

TEST(ResultsView, ANarrowRangeOfANumberFillsTheAxis) {
    const ResultsView view = build_results(
        {at_rate("base", 0.0100, 1, 3), at_rate("base", 0.0101, 1, 3)}, against("lr"));
    EXPECT_NEAR(view.figure.x.range.lower, 0.0100 - 0.0000101, 1e-9);
    EXPECT_NEAR(view.figure.x.range.upper, 0.0101 + 0.0000101, 1e-9);
}

TEST(ResultsView, ALogarithmicAxisBeginsAboveZero) {
    ResultsSettings settings = against("lr");
    settings.log_y = true;
    const Range range =
        build_results({at_rate("base", 1e-3, 1, 0.01f), at_rate("base", 2e-3, 1, 10.0f)}, settings)
            .figure.y.range;
    EXPECT_GT(range.lower, 0);
    EXPECT_LT(range.lower, 0.01);
}

TEST(ResultsView, OneNumberAloneHasRoomOnALogarithmicAxis) {
    ResultsSettings settings = against("lr");
    settings.log_x = true;
    const Range range = build_results({at_rate("base", 1e-3, 1, 3)}, settings).figure.x.range;
    EXPECT_LT(range.lower, 0.97e-3);
    EXPECT_GT(range.upper, 1.03e-3);
}

TEST(ResultsView, WhatCannotBeAnAxisIsRefused) {
    EXPECT_THROW(build_results(rates(), against("model.arch")), UserError);
    EXPECT_THROW(build_results(rates(), against("train.lrr")), UserError);
    ResultsSettings decay = against("train.dropout");
    decay.log_x = true;
    EXPECT_THROW(build_results(rates(), decay), UserError) << "0 has no logarithm";
}

TEST(ResultsView, SaysWhereNoRunHasEnded) {
    const ResultsView view =
        build_results({at_rate("base", 1e-3, 1, 3, RunState::kRunning)}, against("lr"));
    EXPECT_TRUE(view.figure.is_empty());
    EXPECT_THAT(view.figure.empty_text, HasSubstr("no run has a final yet"));
}

}  // namespace
}  // namespace headroom
