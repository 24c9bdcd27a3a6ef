#include "panels/results/pareto_view.h"

#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/figure/palette.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Frontier, OfGivenNumbers) {
    const std::vector<CostAndLoss> points{{4, 1.0}, {2, 2.0}, {3, 2.0},  {1, 3.0},
                                          {2, 2.5}, {5, 1.0}, {2, 2.0},  {6, 0.5},
                                          {0, NAN}, {7, 0.5}, {NAN, 0.1}};
    EXPECT_THAT(frontier_of(points), ElementsAre(3u, 1u, 6u, 0u, 7u));
    EXPECT_THAT(frontier_of({}), IsEmpty());
}

/// By the definition, one pair after the other.
TEST(Frontier, HoldsNoPointThatAnotherDominatesAndAllOthers) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<CostAndLoss> points;
        for (int i = 0; i < 30; ++i)
            points.push_back(
                {static_cast<double>(random() % 12), static_cast<double>(random() % 12)});
        std::vector<bool> on(points.size());
        for (const size_t i : frontier_of(points)) on[i] = true;
        for (size_t i = 0; i < points.size(); ++i) {
            bool dominated = false;
            for (const CostAndLoss& other : points)
                dominated |= other.cost <= points[i].cost && other.loss <= points[i].loss &&
                             (other.cost < points[i].cost || other.loss < points[i].loss);
            EXPECT_EQ(on[i], !dominated);
        }
    }
}

/// A run of ten steps with that model that came to `loss`.
RunPointer with_model(const std::string& name, int64_t seed, float loss, nlohmann::json model,
                      int64_t steps = 10) {
    Run run = *MeasuredRun{.group = name, .seed = seed, .val_losses = {5, 4, loss}, .steps = steps}
                   .make();
    model.update({{"preset", "demo"}, {"vocab_size", 256}});
    run.job = std::make_shared<const Job>(parse_job(
        {{"name", name + "-s" + std::to_string(seed)}, {"seed", seed}, {"model", model}}, ""));
    return std::make_shared<const Run>(run);
}

const nlohmann::json kFound = {
    {"wiring", {{"values", {"own", 0, 0, 0}}, {"keys", {"own", 0, 0, 0}}}}};

/// Baseline (8 kB), CLA (4 kB), YOCO (4 kB) and a found wiring (2 kB) at two seeds; a wiring that
/// was tried with seed 7 alone, and one that ended early.
std::vector<RunPointer> studied() {
    const auto cla = nlohmann::json{{"arch", "cla"}}, yoco = nlohmann::json{{"arch", "yoco"}};
    return {with_model("baseline", 1, 2.0f, {}),
            with_model("cla", 1, 2.5f, cla),
            with_model("yoco", 1, 2.25f, yoco),
            with_model("w03: both 1-3 read 0", 1, 3.0f, kFound),
            with_model("baseline", 2, 2.5f, {}),
            with_model("cla", 2, 2.75f, cla),
            with_model("yoco", 2, 3.25f, yoco),
            with_model("w03: both 1-3 read 0", 2, 3.5f, kFound),
            with_model("w03: both 1-3 read 0", 7, 1.0f, kFound),
            with_model("w04: both 2 read 0", 7, 0.5f,
                       {{"wiring", {{"values", {"own", "own", 0, "own"}}}}}),
            with_model("w05: values 3 read 0", 7, 0.25f,
                       {{"wiring", {{"values", {"own", "own", "own", 0}}}}}, 5)};
}

const ParetoPoint& point(const ParetoView& view, const std::string& name) {
    for (const ParetoPoint& each : view.points)
        if (each.name == name) return each;
    throw std::runtime_error("no point " + name);
}

TEST(ParetoView, MeansOverTheReferencesSeedsMakeTheFrontier) {
    const ParetoView view = build_pareto(studied(), {});
    ASSERT_EQ(view.points.size(), 5u);
    EXPECT_EQ(view.at_tokens, 1000);
    EXPECT_EQ(point(view, "baseline").x,
              4 * 2 * 4 * 32 * 2);  // layers, K and V, heads, width, bytes
    EXPECT_EQ(point(view, "cla").x, 4 * 4 * 32 * 2);
    EXPECT_EQ(point(view, "w03").x, 2 * 4 * 32 * 2);
    EXPECT_THAT(point(view, "w03").losses, ElementsAre(3.0, 3.5)) << "seed 7 chose it";
    EXPECT_TRUE(point(view, "w03").found);
    EXPECT_FALSE(point(view, "w04").complete);
    EXPECT_FALSE(point(view, "w04").on_frontier) << "though its one seed came lowest";
    EXPECT_TRUE(point(view, "w03").on_frontier);
    EXPECT_TRUE(point(view, "cla").on_frontier);  // 2.625 against YOCO's 2.75
    EXPECT_FALSE(point(view, "yoco").on_frontier);
    EXPECT_TRUE(point(view, "baseline").on_frontier);
    EXPECT_EQ(point(view, "cla").frontier_of_seeds, 1);   // of seed 2
    EXPECT_EQ(point(view, "yoco").frontier_of_seeds, 1);  // of seed 1
    EXPECT_EQ(point(view, "w03").frontier_of_seeds, 2);
    EXPECT_THAT(view.figure.footnote, HasSubstr("hollow: not of all seeds"));
    EXPECT_THAT(view.figure.footnote, HasSubstr("without 1 run that ended before 1000 tokens"));
}

TEST(ParetoView, AFurtherSeedOfTheReferenceAloneMovesNoOther) {
    std::vector<RunPointer> runs = studied();
    runs.push_back(with_model("baseline", 4, 0.5f, {}));
    const ParetoView view = build_pareto(runs, {});
    EXPECT_THAT(point(view, "baseline").losses, ElementsAre(2.0, 2.5));
    EXPECT_TRUE(point(view, "cla").complete);
    EXPECT_TRUE(point(view, "cla").on_frontier);
    EXPECT_THAT(view.figure.footnote, HasSubstr("without seed 4 of baseline, which no other has"));
    runs.push_back(with_model("cla", 4, 2.5f, {{"arch", "cla"}}));
    EXPECT_FALSE(point(build_pareto(runs, {}), "yoco").complete) << "now it counts";
}

TEST(ParetoView, RunsOfWhichOnlyEvaluationsAreKnownHaveAPlace) {
    std::vector<RunPointer> runs = studied();
    for (RunPointer& run : runs) {
        headroom::Run imported = *run;
        auto series = std::make_shared<RunSeries>(*run->series);
        series->train = {};
        imported.series = series;
        run = std::make_shared<const headroom::Run>(imported);
    }
    const ParetoView view = build_pareto(runs, {});
    EXPECT_EQ(view.at_tokens, 1000);
    EXPECT_EQ(view.points.size(), 6u) << "nothing says now that one of them ended early";
    EXPECT_THAT(view.figure.footnote, Not(HasSubstr("before their end")));
}

TEST(ParetoView, AVariantWithoutAllSeedsIsNamedAndItsSeedsAreCounted) {
    std::vector<RunPointer> runs = studied();
    std::erase_if(runs,
                  [](const RunPointer& run) { return run->group == "cla" && run->seed == 2; });
    const ParetoView view = build_pareto(runs, {});
    EXPECT_FALSE(point(view, "cla").complete);
    for (const FigureSeries& series : view.figure.series) {
        if (series.id != "cla") continue;
        EXPECT_EQ(series.legend, "cla (1 of 2 seeds)");
        EXPECT_EQ(series.role, "known, not of all seeds") << "no search tried it";
    }
    EXPECT_THAT(view.figure.footnote, HasSubstr("bars and frontier's band over 2 seeds"));
    runs.push_back(with_model("cla", 9, 2.75f, {{"arch", "cla"}}));
    for (const FigureSeries& series : build_pareto(runs, {}).figure.series)
        if (series.id == "cla" && !series.legend.empty()) {
            EXPECT_EQ(series.legend, "cla (1 of 2 seeds)") << "seed 9 is none of them";
        }
}

TEST(ParetoView, SaysOfWhichSeedsAndOfWhatItsMarksAre) {
    std::vector<RunPointer> runs = studied();
    runs.push_back(with_model("gqa", 9, 2.4f, {{"arch", "gqa"}}));
    const auto legends = [](const ParetoView& view) {
        std::vector<std::string> texts;
        for (const FigureSeries& series : view.figure.series) texts.push_back(series.legend);
        return texts;
    };
    ParetoView view = build_pareto(runs, {});
    EXPECT_THAT(legends(view), testing::Contains("gqa (other seeds)"));
    EXPECT_THAT(legends(view), testing::Contains("own wirings, not of all seeds"));
    EXPECT_THAT(view.figure.y.label, HasSubstr("at the end"));
    headroom::Run longer = *runs[1];  // still at work: its number is from before its end
    longer.series = with_model("cla", 1, 2.5f, {{"arch", "cla"}}, 20)->series;
    auto running = std::make_shared<RunSeries>(*longer.series);
    running->state = RunState::kRunning;
    longer.series = running;
    runs[1] = std::make_shared<const headroom::Run>(longer);
    view = build_pareto(runs, {});
    EXPECT_EQ(view.at_tokens, 1000);
    EXPECT_THAT(view.figure.y.label, HasSubstr("after 1000 tokens"));
}

TEST(ParetoView, OfAnAccuracyMoreIsBetter) {
    std::vector<RunPointer> runs = studied();
    for (RunPointer& run : runs) run = with_accuracy(run);
    ParetoSettings settings;
    settings.measure = Measure::parse("scalars/val_accuracy");
    const ParetoView view = build_pareto(runs, settings);
    EXPECT_TRUE(point(view, "w03").on_frontier) << "the greatest, and the cheapest";
    EXPECT_EQ(point(view, "w03").spread.mean, 3.25);
    for (const char* name : {"baseline", "cla", "yoco"})
        EXPECT_FALSE(point(view, name).on_frontier) << name;
}

/// What is drawn, and so what the CSV holds: a step from point to point, to the edge.
TEST(ParetoView, TheFrontierIsALineOfStepsWithinTheSpreadOfItsPoints) {
    ParetoSettings settings;
    settings.band = SeedBand::kMinMax;
    const ParetoView view = build_pareto(studied(), settings);
    const FigureSeries* frontier = nullptr;
    for (const FigureSeries& series : view.figure.series)
        if (series.role == "frontier") frontier = &series;
    ASSERT_NE(frontier, nullptr);
    const double edge = view.figure.x.range.upper;
    EXPECT_THAT(frontier->data->x(), ElementsAre(512, 1024, 1024, 2048, 2048, edge));
    EXPECT_THAT(frontier->data->y(), ElementsAre(3.25, 3.25, 2.625, 2.625, 2.25, 2.25));
    ASSERT_EQ(view.figure.bands.size(), 1u);
    EXPECT_THAT(view.figure.bands[0].lower->y(), ElementsAre(3, 3, 2.5, 2.5, 2, 2));
    EXPECT_THAT(view.figure.bands[0].upper->y(), ElementsAre(3.5, 3.5, 2.75, 2.75, 2.5, 2.5));
    int hollow = 0;
    for (const FigureSeries& series : view.figure.series) {
        hollow += series.style.hollow;
        EXPECT_LE(view.figure.y.range.lower, series.data->y()[0]);
        EXPECT_GE(view.figure.y.range.upper, series.data->y()[0]);
        if (series.role == "found, on the frontier") {
            EXPECT_EQ(series.style.marker, Marker::kDiamond);
        }
    }
    EXPECT_EQ(hollow, 1);
}

TEST(ParetoView, OnlyFoundWiringsAreDiamonds) {
    std::vector<RunPointer> runs = studied();
    ASSERT_EQ(run_style(3).marker, Marker::kDiamond);
    for (RunPointer& run : runs) {
        headroom::Run colored = *run;
        colored.color = 3;
        run = std::make_shared<const headroom::Run>(colored);
    }
    const ParetoView view = build_pareto(runs, {});
    for (const FigureSeries& series : view.figure.series) {
        const bool is_found = series.role.starts_with("found") || series.role == "search";
        EXPECT_EQ(series.style.marker == Marker::kDiamond, is_found) << series.name;
    }
}

TEST(ParetoView, ADivergedRunIsNotCountedAgainAsOneThatEndedEarly) {
    std::vector<RunPointer> runs{with_model("baseline", 1, 2, {}),
                                 with_model("early", 1, 2.5f, {{"arch", "cla"}}, 5)};
    runs.push_back(
        MeasuredRun{.group = "wild", .seed = 1, .state = RunState::kDiverged, .steps = 5}.make());
    EXPECT_THAT(
        build_pareto(runs, {}).notes,
        AllOf(Contains("1 run diverged"), Contains("without 1 run that ended before 1000 tokens")));
}

// It was said to have ended early, as all were that have no number.
TEST(ParetoView, ARunThatRepeatsASeedIsSaidToDoSo) {
    std::vector<RunPointer> runs{with_model("baseline", 1, 2, {}),
                                 with_model("cla", 1, 2.5f, {{"arch", "cla"}})};
    headroom::Run again = *runs[1];
    again.id = "cla-again";
    again.repeats = true;
    runs.push_back(std::make_shared<const headroom::Run>(again));
    const std::vector<std::string> notes = build_pareto(runs, {}).notes;
    EXPECT_THAT(notes, Contains("cla-again repeats seed 1"));
    EXPECT_THAT(notes, testing::Not(Contains(HasSubstr("ended before"))));
}

TEST(ParetoView, DifferencesAreOfEqualSeeds) {
    std::vector<RunPointer> runs = studied();
    ParetoSettings settings;
    settings.relative = true;
    settings.reference = runs[0]->id;
    const ParetoView view = build_pareto(runs, settings);
    EXPECT_THAT(point(view, "baseline").losses, ElementsAre(0, 0));
    EXPECT_THAT(point(view, "cla").losses, ElementsAre(0.5, 0.25));
    EXPECT_THAT(view.figure.y.label, HasSubstr("less baseline's"));
    for (const ParetoPoint& each : view.points) EXPECT_TRUE(each.complete) << each.name;
}

TEST(ParetoView, ComparesEarlierWhereItIsAsked) {
    ParetoSettings settings;
    settings.at_tokens = 500;
    const ParetoView view = build_pareto(studied(), settings);
    EXPECT_EQ(view.points.size(), 6u);
    EXPECT_THAT(point(view, "baseline").losses, ElementsAre(4, 4));
}

TEST(ParetoView, CountsCanBeParametersOrTime) {
    ParetoSettings settings;
    settings.x = "step_seconds";
    EXPECT_EQ(point(build_pareto(studied(), settings), "cla").x, 1);
    settings.x = "params";
    const ParetoView view = build_pareto(studied(), settings);
    EXPECT_GT(point(view, "baseline").x, point(view, "cla").x);
    settings.x = "model.arch";
    EXPECT_THROW(build_pareto(studied(), settings), UserError);
}

TEST(ParetoView, PointsAreCalledLikeTheirGroups) {
    std::vector<RunPointer> runs{with_model("w03: both 1-3 read 0", 1, 3.0f, kFound)};
    for (const double lr : {1e-3, 3e-3}) {
        headroom::Run run = *with_model("base", 1, 2.0f, {});
        run.group = fmt::format("base · lr {:g}", lr);
        runs.push_back(std::make_shared<const headroom::Run>(run));
    }
    headroom::Run found = *with_model("w04: both 2 read 0", 1, 3.5f, kFound);
    found.group += " · lr 0.01";
    runs.push_back(std::make_shared<const headroom::Run>(found));
    std::vector<std::string> names;
    for (const ParetoPoint& each : build_pareto(runs, {}).points) names.push_back(each.name);
    EXPECT_THAT(names, ElementsAre("w03", "w04 · lr 0.01", "base · lr 0.001", "base · lr 0.003"));
}

TEST(ParetoView, VariantsOfOneCostAndLossAreBothSeen) {
    const auto same = nlohmann::json{{"arch", "wq_identity"}};
    const std::vector<RunPointer> runs{
        with_model("baseline", 1, 2.0f, {}), with_model("baseline", 2, 2.25f, {}),
        with_model("wq", 1, 2.0f, same), with_model("wq", 2, 2.25f, same)};
    const ParetoView view = build_pareto(runs, {});
    std::map<std::string, std::set<double>> asides;
    for (const FigureSeries& series : view.figure.series) asides[series.name].insert(series.aside);
    EXPECT_THAT(asides["baseline"], ElementsAre(-4));
    EXPECT_THAT(asides["wq"], ElementsAre(4));
    EXPECT_THAT(asides["frontier"], ElementsAre(0));
    EXPECT_THAT(view.figure.footnote, HasSubstr("side by side"));
    EXPECT_DOUBLE_EQ(view.points[0].x, view.points[1].x);
}

}  // namespace
}  // namespace headroom
