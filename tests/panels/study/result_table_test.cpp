#include "panels/study/result_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

StudySnapshot study_of(std::vector<RunPointer> runs) {
    StudySnapshot study;
    study.name = "s";
    study.runs = std::move(runs);
    return study;
}

ResultTable losses(const std::vector<RunPointer>& runs, const std::string& baseline = "") {
    return build_result_table(nullptr, study_of(runs), {baseline, {"final"}});
}

/// Wu et al., table 5: their means and deviations, and the paired test that they do not make.
TEST(ResultTable, ReproducesAPublishedTable) {
    const ResultTable table = losses(table_5());
    EXPECT_EQ(table.baseline, "base");
    ASSERT_EQ(table.rows.size(), 2u);
    const ResultCell &base = table.rows[0].cells[0], &skip = table.rows[1].cells[0];
    EXPECT_NEAR(base.mean.value(), 2.7400, 5e-5);
    EXPECT_NEAR(base.deviation.value(), 0.0154, 5e-5);
    EXPECT_NEAR(skip.mean.value(), 2.7287, 5e-5);
    EXPECT_NEAR(skip.deviation.value(), 0.0163, 5e-5);
    EXPECT_EQ(skip.pairs, 3);
    EXPECT_NEAR(skip.difference.value(), -0.0113333, 1e-6);
    EXPECT_NEAR(skip.p_holm.value(), 0.0034423, 1e-6);
    EXPECT_TRUE(skip.best);
    EXPECT_FALSE(base.best) << "the paired test tells them apart";
    EXPECT_FALSE(base.difference.has_value());
}

TEST(ResultTable, ASeedThatTheBaselineHasNotIsNotCounted) {
    std::vector<RunPointer> runs = table_5();
    runs.push_back(run("skip", 7, 1.0f));  // the one by which a search chose it
    const ResultTable table = losses(runs);
    EXPECT_EQ(table.rows[1].cells[0].n, 3);
    EXPECT_NEAR(table.rows[1].cells[0].mean.value(), 2.7287, 5e-5);
    EXPECT_THAT(table.notes, testing::Contains("skip-s7 is not counted: base has no seed 7"));
}

TEST(ResultTable, ABaselineOfOneSeedLeavesOthersTheirs) {
    const ResultTable table =
        losses({run("base", 1, 3), run("skip", 1, 2), run("skip", 2, 2.5f), run("skip", 3, 3)});
    EXPECT_EQ(table.rows[1].cells[0].n, 3);
    EXPECT_EQ(table.rows[1].cells[0].mean, 2.5);
    EXPECT_EQ(table.rows[1].cells[0].pairs, 1);
    EXPECT_THAT(table.notes, testing::Not(Contains(HasSubstr("is not counted"))));
}

// A group's name was taken for the id of another run, and differences were to that one.
TEST(ResultTable, ANameThatIsAnotherRunsIdStaysThatOfItsGroup) {
    std::vector<RunPointer> runs{run("base", 1, 3), run("skip", 1, 2), run("third", 1, 1)};
    const auto renamed = [](const RunPointer& run, const std::string& id, const std::string& name) {
        headroom::Run other = *run;
        other.id = id;
        other.name = other.group = name;
        return std::make_shared<const headroom::Run>(std::move(other));
    };
    runs[0] = renamed(runs[0], "base", "GPT-2");
    runs[1] = renamed(runs[1], "skip", "base");
    const ResultTable table = losses(runs, "skip");
    EXPECT_EQ(table.baseline, "base");
    EXPECT_EQ(table.rows[0].cells[0].difference, 1);
    EXPECT_FALSE(table.rows[1].cells[0].difference.has_value());
    EXPECT_EQ(table.rows[2].cells[0].difference, -1);
    EXPECT_EQ(losses(runs, "base").baseline, "GPT-2") << "ids go before names";
}

TEST(ResultTable, OfAnAccuracyTheGreatestIsBest) {
    std::vector<RunPointer> runs = table_5();
    for (RunPointer& run : runs) run = with_accuracy(run);
    const ResultTable table =
        build_result_table(nullptr, study_of(runs), {"", {"final", "scalars/val_accuracy"}});
    const ResultRow &base = table.rows[0], &skip = table.rows[1];
    EXPECT_TRUE(skip.cells[0].best);
    EXPECT_FALSE(skip.cells[1].best);
    EXPECT_TRUE(base.cells[1].best);
}

TEST(ResultTable, WhatTheTestDoesNotTellFromTheBestIsBoldToo) {
    std::vector<RunPointer> runs = table_5();
    for (const RunPointer& like :
         {run("like", 42, 2.715f), run("like", 100, 2.739f), run("like", 2025, 2.733f)})
        runs.push_back(like);
    const ResultTable table = losses(runs);
    EXPECT_FALSE(table.rows[0].cells[0].best);
    EXPECT_TRUE(table.rows[1].cells[0].best);
    EXPECT_TRUE(table.rows[2].cells[0].best) << "0.0003 above it, with a spread of 0.004";
}

TEST(ResultTable, ALoneSeedTakesTheBoldFromNobody) {
    std::vector<RunPointer> runs = table_5();
    runs.push_back(run("alone", 42, 2.1f));
    const ResultTable table = losses(runs);
    EXPECT_FALSE(table.rows[0].cells[0].best);
    EXPECT_TRUE(table.rows[1].cells[0].best);
    EXPECT_FALSE(table.rows[2].cells[0].best) << "nothing tells it from chance";
}

TEST(ResultTable, OneSeedHasNoSpreadNoTestAndNoBest) {
    const ResultTable table = losses({run("base", 1, 3), run("skip", 1, 2)}, "skip");
    EXPECT_TRUE(table.rows[1].is_baseline);
    const ResultCell& base = table.rows[0].cells[0];
    EXPECT_EQ(base.mean, 3);
    EXPECT_FALSE(base.deviation.has_value());
    EXPECT_EQ(base.difference, 1);
    EXPECT_FALSE(base.p_holm.has_value());
    EXPECT_FALSE(base.best);
    EXPECT_FALSE(table.rows[1].cells[0].best) << "by a test, not by eye";
}

TEST(ResultTable, WhatIsMissingIsEmptyAndSaid) {
    std::vector<RunPointer> runs = table_5();
    runs.push_back(MeasuredRun{.group = "wild", .seed = 42, .state = RunState::kDiverged}.make());
    const ResultTable table = losses(runs);
    EXPECT_FALSE(table.rows[2].cells[0].mean.has_value());
    EXPECT_THAT(table.notes, Contains(HasSubstr("wild-s42 diverged at step 10")));
    EXPECT_THAT(losses({MeasuredRun{.state = RunState::kRunning}.make()}).notes,
                Contains(HasSubstr("not finished")))
        << "also of the baseline";
}

TEST(ResultTable, FollowsTheOrderOfTheStudyAndSetsPublishedValuesBeside) {
    const std::vector<RunPointer> runs = table_5();
    Study plan;
    for (const size_t i : {3u, 4u, 5u, 0u, 1u, 2u})
        plan.runs.push_back({runs[i]->id, runs[i]->group == "skip" ? "skipv1" : "baseline", {}});
    plan.published.push_back({"table 5", "final", {{"skipv1", 2.729}}});
    const ResultTable table =
        build_result_table(&plan, study_of(runs), {"base", {"val.loss", "perplexity"}});
    EXPECT_EQ(table.rows[0].name, "skip");
    EXPECT_EQ(table.baseline, "base");
    ASSERT_EQ(table.columns.size(), 3u);
    EXPECT_EQ(table.columns[0].name, "final");
    EXPECT_NEAR(table.rows[0].cells[1].mean.value(), 15.314, 1e-2);
    EXPECT_EQ(table.columns[2].source, "table 5");
    EXPECT_EQ(table.rows[0].cells[2].mean, 2.729);
    EXPECT_FALSE(table.rows[1].cells[2].mean.has_value());
}

TEST(ResultTable, MeasuresAreThoseAskedForOrOfTheStudyOrTheUsualOnes) {
    const auto names = [](const Study& plan, const ResultTableSettings& settings) {
        std::vector<std::string> all;
        for (const ResultColumn& column :
             build_result_table(&plan, study_of(table_5()), settings).columns)
            all.push_back(column.name);
        return all;
    };
    Study plan;
    EXPECT_EQ(names(plan, {}), standard_measures());
    plan.measures = {"perplexity", "best"};
    EXPECT_EQ(names(plan, {}), plan.measures);
    EXPECT_EQ(names(plan, {"", {"params"}}), std::vector<std::string>{"params"});
}

TEST(ResultTable, UnknownWordsAreRefused) {
    EXPECT_THROW(losses(table_5(), "nobody"), UserError);
    EXPECT_THROW(build_result_table(nullptr, study_of(table_5()), {"", {"lose"}}), UserError);
    EXPECT_THROW(losses({}), UserError);
}

}  // namespace
}  // namespace headroom
