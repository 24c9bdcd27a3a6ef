#include "panels/study/run_table.h"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/study/run_filter.h"
#include "panels/study/run_table_export.h"
#include "panels/study/table_markup.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct TableRun {
    std::string id = {}, group = {}, arch = "gpt2";
    int64_t seed = 1;
    double lr = 1e-3;
    float val_loss = 3;
    RunPhase phase = RunPhase::kFinished;
    std::vector<std::string> tags = {};
    bool repeats = false;
    std::string train = "text:book.txt";

    RunPointer make() const {
        headroom::Run run;
        run.id = id;
        run.group = group;
        run.name = group + ", seed " + std::to_string(seed);
        run.seed = seed;
        run.repeats = repeats;
        run.label.tags = tags;
        run.status.phase = phase;
        run.status.val_loss = static_cast<double>(val_loss);
        run.status.loss = 3;
        run.job = std::make_shared<const Job>(
            parse_job({{"seed", seed},
                       {"model", {{"preset", "tiny"}, {"arch", arch}, {"vocab_size", 256}}},
                       {"data", {{"train", train}}},
                       {"train", {{"lr", lr}}}},
                      "test"));
        RunSeries series;
        series.train.step = {1, 2};
        series.train.grad_norm = {1.0f, static_cast<float>(seed)};
        run.series = std::make_shared<const RunSeries>(series);
        return std::make_shared<const headroom::Run>(run);
    }
};

RunFacts example() {
    RunFacts facts;
    facts.set_runs(
        {TableRun{.id = "base-s1", .group = "base", .val_loss = 2.723f, .tags = {"paper"}}.make(),
         TableRun{.id = "base-s2", .group = "base", .seed = 2, .val_loss = 2.753f}.make(),
         TableRun{.id = "skip-s1", .group = "skip", .arch = "skipv1", .val_loss = 2.711f}.make(),
         TableRun{.id = "hot",
                  .group = "hot",
                  .arch = "skipv1",
                  .lr = 0.01,
                  .val_loss = 9,
                  .phase = RunPhase::kFailed}
             .make()});
    return facts;
}

std::vector<std::string> accepted(const std::string& filter) {
    const RunFacts facts = example();
    std::vector<std::string> ids;
    for (const RunPointer& run : RunFilter::parse(filter, facts).apply(facts))
        ids.push_back(run->id);
    return ids;
}

TEST(RunFilter, KnowsWordsConditionsAndRegularExpressions) {
    EXPECT_EQ(accepted("").size(), 4u);
    EXPECT_THAT(accepted("BASE"), ElementsAre("base-s1", "base-s2"));
    EXPECT_THAT(accepted("arch:skipv1"), ElementsAre("skip-s1", "hot"));
    EXPECT_THAT(accepted("arch:skipv1 lr>1e-3"), ElementsAre("hot"));
    EXPECT_THAT(accepted("val_loss>0.005k"), ElementsAre("hot")) << "as the table writes numbers";
    EXPECT_THAT(accepted("lr<=0.001 -base"), ElementsAre("skip-s1"));
    EXPECT_THAT(accepted("state:finished seed=2"), ElementsAre("base-s2"));
    EXPECT_THAT(accepted("state:finished,failed arch!=gpt2"), ElementsAre("skip-s1", "hot"));
    EXPECT_THAT(accepted("tags:paper"), ElementsAre("base-s1"));
    EXPECT_THAT(accepted("/^base.*2$/"), ElementsAre("base-s2"));
    EXPECT_THAT(accepted("\"base, seed 1\""), ElementsAre("base-s1"));
    EXPECT_THAT(accepted("train/grad_norm>=2"), ElementsAre("base-s2"));
    EXPECT_THAT(accepted("nobody"), IsEmpty());
    EXPECT_THAT(accepted("seed:2nd"), IsEmpty());
}

TEST(RunFilter, SaysWhatItDoesNotUnderstand) {
    const auto error_of = [](const std::string& filter) -> std::string {
        try {
            accepted(filter);
            return "";
        } catch (const UserError& error) {
            return error.what();
        }
    };
    EXPECT_THAT(error_of("archh:x"), HasSubstr("no column, key or series \"archh\""));
    EXPECT_THAT(error_of("lr>fast"), HasSubstr("no condition"));
    EXPECT_THAT(error_of("lr>"), HasSubstr("no condition"));
    EXPECT_THAT(error_of("/(/"), HasSubstr("no regular expression"));
    EXPECT_THAT(error_of("\"open"), HasSubstr("not closed"));
}

TEST(RunFilter, NoRegularExpressionHangsOrCrashes) {
    RunFacts facts;
    facts.set_runs({TableRun{.id = std::string(20'000, 'a'), .group = "long"}.make(),
                    TableRun{.id = std::string(60, 'a') + ":", .group = "short"}.make()});
    const auto count = [&](const std::string& filter) {
        return RunFilter::parse(filter, facts).apply(facts).size();
    };
    EXPECT_EQ(count("/(\\w+)+:/"), 1u);
    EXPECT_EQ(count("/(a*)*:/"), 1u);
    EXPECT_EQ(count("/a.*b/"), 0u);
    EXPECT_EQ(count("/^a+$/"), 0u) << "what is not looked at is no end";
    EXPECT_EQ(count("/a{20}/"), 2u);
    for (const char* refused : {"/(a)\\1/", "/(a?){3000}b/", "/((a?){20}){99999999999}/"})
        EXPECT_THAT([&] { count(refused); },
                    testing::ThrowsMessage<UserError>(HasSubstr("is no regular expression")))
            << refused;
}

std::vector<std::string> texts(const RunTable& table, size_t column) {
    std::vector<std::string> result;
    for (const RunTableRow& row : table.rows) result.push_back(row.cells[column].text);
    return result;
}

TEST(RunTable, ShowsKeysThatDifferByItself) {
    const RunTable table = build_run_table(example(), {});
    EXPECT_THAT(table.columns,
                testing::IsSupersetOf({"name", "val_loss", "model.arch", "train.lr"}));
    EXPECT_THAT(table.columns, testing::Not(testing::Contains("train.steps")));
    EXPECT_EQ(table.rows.size(), 4u);
}

// Two texts of one file name were one group: n 2, 2.3 ± 1.6.
TEST(RunTable, ValuesThatLookAlikeAreNotOne) {
    RunFacts facts;
    facts.set_runs({TableRun{.id = "a", .group = "a", .train = "text:/one/book.txt"}.make(),
                    TableRun{.id = "b", .group = "b", .train = "text:/two/book.txt"}.make(),
                    TableRun{.id = "c", .group = "c", .train = "text:/two/book.txt"}.make()});
    const RunTable table =
        build_run_table(facts, {.columns = {"data.train"}, .group_by = "data.train"});
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[1].n, 2);
    EXPECT_THAT(texts(table, 0), ElementsAre("one/book.txt", "two/book.txt"));
    const RunTable kept =
        build_run_table(facts, {.columns = {"run", "data.train"}, .only_differing = true});
    EXPECT_THAT(kept.columns, ElementsAre("run", "data.train"));
    EXPECT_THAT(run_table_csv(kept), HasSubstr("a,text:/one/book.txt"));
    EXPECT_EQ(build_run_table(facts, {.filter = "data.train:text:/two/book.txt"}).rows.size(), 2u);
}

// Each seed of a conversion begins with the checkpoint of its own seed.
TEST(RunTable, SeedsOfOneVariantStayTogetherByAnyKey) {
    RunFacts facts;
    facts.set_runs(
        {TableRun{.id = "a-s1", .group = "a", .train = "text:/s1/book.txt"}.make(),
         TableRun{.id = "a-s2", .group = "a", .seed = 2, .train = "text:/s2/book.txt"}.make()});
    const RunTable table =
        build_run_table(facts, {.columns = {"data.train"}, .group_by = "data.train"});
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(table.rows[0].cells[0].text, "book.txt");
}

TEST(RunTable, LeavesOutWhatTheseRunsDoNotHaveAndSaysSo) {
    std::vector<std::string> problems;
    const RunTableSettings settings = understood(example(),
                                                 {.columns = {"name", "scalars/router.balance"},
                                                  .filter = "archh:gpt2",
                                                  .sort_by = "model.wiring.keys",
                                                  .group_by = "group"},
                                                 problems);
    EXPECT_THAT(settings.columns, ElementsAre("name"));
    EXPECT_EQ(settings.group_by, "group");
    EXPECT_EQ(settings.sort_by, "");
    EXPECT_EQ(settings.filter, "");
    EXPECT_THAT(problems, ElementsAre("no run here has scalars/router.balance",
                                      "no run here has model.wiring.keys", HasSubstr("archh")));
}

TEST(RunTable, SortsByNumbersAndKeepsTheEmptyLast) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    headroom::Run queued = *runs[0];
    queued.id = "queued";
    queued.status.val_loss = std::nan("");
    runs.insert(runs.begin(), std::make_shared<const headroom::Run>(queued));
    facts.set_runs(runs);
    RunTableSettings settings{.columns = {"run"}, .sort_by = "val_loss"};
    EXPECT_THAT(texts(build_run_table(facts, settings), 0),
                ElementsAre("skip-s1", "base-s1", "base-s2", "hot", "queued"));
    settings.descending = true;
    EXPECT_THAT(texts(build_run_table(facts, settings), 0),
                ElementsAre("hot", "base-s2", "base-s1", "skip-s1", "queued"));
}

TEST(RunTable, GroupsHaveMeansDeviationsAndN) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    runs.push_back(
        TableRun{.id = "base-again", .group = "base", .val_loss = 100, .repeats = true}.make());
    facts.set_runs(runs);
    const RunTable table = build_run_table(
        facts, {.columns = {"group", "val_loss", "arch", "seed"}, .group_by = "group"});
    ASSERT_EQ(table.rows.size(), 3u);
    const RunTableRow& base = table.rows[0];
    EXPECT_EQ(base.n, 2) << "a repeated seed counts once";
    EXPECT_EQ(base.ids.size(), 3u);
    EXPECT_EQ(base.cells[1].text, "2.7380 ± 0.0212");
    EXPECT_EQ(base.cells[2].text, "gpt2");
    EXPECT_EQ(base.cells[3].text, "…");
}

TEST(RunTable, AMeanSaysWhenARunOfTheRowHasNoNumber) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    headroom::Run diverged = *runs[0];
    diverged.id = "base-s3";
    diverged.status.val_loss = std::nan("");
    runs.push_back(std::make_shared<const headroom::Run>(diverged));
    facts.set_runs(runs);
    const RunTable table =
        build_run_table(facts, {.columns = {"group", "val_loss"}, .group_by = "group"});
    EXPECT_EQ(table.rows[0].n, 3);
    EXPECT_EQ(table.rows[0].cells[1].text, "2.7380 ± 0.0212 (2 of 3)");
}

TEST(RunTable, ARunThatDivergedIsInNoMeanOfLosses) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    runs.push_back(TableRun{
        .id = "base-s3", .group = "base", .seed = 3, .val_loss = 31, .phase = RunPhase::kDiverged}
                       .make());
    facts.set_runs(runs);
    const RunTable table =
        build_run_table(facts, {.columns = {"group", "val_loss"}, .group_by = "group"});
    EXPECT_EQ(table.rows[0].n, 3);
    EXPECT_EQ(table.rows[0].cells[1].text, "2.7380 ± 0.0212 (2 of 3)");
}

RunPointer at_step(const TableRun& made, int64_t step) {
    headroom::Run run = *made.make();
    run.status.step = step;
    return std::make_shared<const headroom::Run>(run);
}

TEST(RunTable, RunsAtDifferentStepsMakeNoMean) {
    const auto cell_of = [](RunPhase first, int64_t step) {
        RunFacts facts;
        facts.set_runs({at_step({.id = "a-s1", .group = "a", .val_loss = 2, .phase = first}, 400),
                        at_step({.id = "a-s2",
                                 .group = "a",
                                 .seed = 2,
                                 .val_loss = 4,
                                 .phase = RunPhase::kStopped},
                                step)});
        const RunTable table = build_run_table(
            facts, {.columns = {"group", "val_loss", "train/grad_norm"}, .group_by = "group"});
        return table.rows[0].cells;
    };
    EXPECT_EQ(cell_of(RunPhase::kFinished, 362)[1].text, "2.0000 (1 of 2)");
    EXPECT_EQ(cell_of(RunPhase::kFinished, 362)[1].n, 1);
    EXPECT_EQ(cell_of(RunPhase::kFinished, 362)[2].text, "1 (1 of 2)");
    EXPECT_EQ(cell_of(RunPhase::kRunning, 362)[1].text, "…");
    EXPECT_EQ(cell_of(RunPhase::kRunning, 400)[1].text, "3.0000 ± 1.4142");
}

TEST(RunTable, ARunThatWaitsHasTheVocabularyOfItsData) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    headroom::Run waiting = *runs[0];
    waiting.id = "base-s9";
    Job job = *waiting.job;
    job.model.vocab_size = 0;
    waiting.job = std::make_shared<const Job>(job);
    runs.push_back(std::make_shared<const headroom::Run>(waiting));
    facts.set_runs(runs);
    EXPECT_EQ(facts.value(*runs.back(), "params").number, facts.value(*runs[0], "params").number);
    const std::vector<std::string> differing = facts.differing_keys(runs);
    EXPECT_EQ(std::count(differing.begin(), differing.end(), "model.vocab_size"), 0);
}

TEST(RunTable, GroupsAreCalledByWhatTheyShare) {
    const RunTable table = build_run_table(example(), {.group_by = "group"});
    EXPECT_EQ(table.columns.front(), "group");
    EXPECT_EQ(table.rows[0].cells.front().text, "base");
    const RunTable by_arch = build_run_table(example(), {.group_by = "arch"});
    EXPECT_EQ(by_arch.columns.front(), "model.arch");
    EXPECT_EQ(std::count(by_arch.columns.begin(), by_arch.columns.end(), "model.arch"), 1);
}

TEST(RunTable, CsvHasNumbersInFull) {
    const RunFacts facts = example();
    const std::string runs =
        run_table_csv(build_run_table(facts, {.columns = {"run", "name", "lr"}, .filter = "hot"}));
    EXPECT_EQ(runs, "run,name,train.lr\nhot,\"hot, seed 1\",0.01\n");
    const std::string groups = run_table_csv(
        build_run_table(facts, {.columns = {"val_loss"}, .filter = "base", .group_by = "group"}));
    EXPECT_THAT(groups, testing::StartsWith("runs,n,group,val_loss,val_loss sd\n"
                                            "base-s1 base-s2,2,base,2.7"))
        << "what the rows are of, asked for or not";
}

TEST(RunTable, CsvSaysOfHowManyRunsAMeanIs) {
    RunFacts facts = example();
    std::vector<RunPointer> runs = facts.runs();
    runs.push_back(TableRun{
        .id = "skip-s2", .group = "skip", .arch = "skipv1", .seed = 2, .val_loss = std::nanf("")}
                       .make());
    facts.set_runs(runs);
    const std::string csv = run_table_csv(build_run_table(
        facts, {.columns = {"group", "val_loss"}, .filter = "-hot", .group_by = "group"}));
    EXPECT_THAT(csv, testing::StartsWith("runs,n,group,val_loss,val_loss sd,val_loss n\n"
                                         "base-s1 base-s2,2,base,2.7"));
    EXPECT_THAT(csv, HasSubstr(",2\nskip-s1 skip-s2,2,skip,2.7109999656677246,,1\n"));
}

TEST(RunTable, MarkdownAndLatexHaveWhatPeopleReadWithEscapes) {
    const RunTable groups = build_run_table(
        example(),
        {.columns = {"group", "val_loss", "best_val_loss"}, .filter = "base", .group_by = "group"});
    const std::string value = groups.rows[0].cells[1].text;
    EXPECT_THAT(value, HasSubstr(" ± "));
    EXPECT_THAT(markdown_table(printed_table(groups)),
                testing::StartsWith("| group | val_loss | best_val_loss | n |\n| --- | ---: |"));
    EXPECT_THAT(markdown_table(printed_table(groups)), HasSubstr("\n| base | " + value + " | "));
    const std::string latex = latex_table(printed_table(groups));
    EXPECT_THAT(latex, HasSubstr("\\toprule\ngroup & val\\_loss & best\\_val\\_loss & n \\\\\n"));
    EXPECT_THAT(latex, HasSubstr("2.7380 $\\pm$ 0.0212"));
    EXPECT_THAT(latex, testing::EndsWith("\\bottomrule\n\\end{tabular}\n"));

    RunTable strange;
    strange.columns = {"a|b *c* `d` [e](f) _g_ d_model [0, 1]"};
    strange.rows.push_back({.ids = {"x"}, .cells = {{"50% {x} \\ ~^", {}, {}}}});
    EXPECT_THAT(markdown_table(printed_table(strange)),
                HasSubstr("a\\|b \\*c\\* \\`d\\` [e\\](f) \\_g\\_ d_model [0, 1]"));
    EXPECT_THAT(latex_table(printed_table(strange)),
                HasSubstr("50\\% \\{x\\} \\textbackslash{} \\textasciitilde{}\\textasciicircum{}"));
}

TEST(RunTable, CanLeaveOutWhatIsEqual) {
    const RunTable table = build_run_table(
        example(), {.columns = {"run", "steps", "lr"}, .only_differing = true, .filter = "base"});
    EXPECT_THAT(table.columns, ElementsAre("run"));
}

TEST(RunFacts, CountsFollowFromTheJob) {
    const RunFacts facts = example();
    const headroom::Run& base = *facts.runs()[0];
    const headroom::Run& skip = *facts.runs()[2];
    EXPECT_GT(facts.value(base, "params").number.value(), 0);
    EXPECT_LT(facts.value(skip, "kv_bytes_per_token").number.value(),
              facts.value(base, "kv_bytes_per_token").number.value());
    EXPECT_EQ(facts.find_column("lr"), "train.lr");
    EXPECT_EQ(facts.find_column("val.loss"), "val_loss") << "as measures are called";
    EXPECT_EQ(facts.value(base, "model.arch").text, "gpt2");
}

TEST(RunFacts, ASeriesThatNoRunKnowsIsAnEmptyColumn) {
    auto imported = *TableRun{.id = "theirs", .group = "theirs"}.make();
    RunSeries series = *imported.series;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    series.train.grad_norm = {nan, nan};
    imported.series = std::make_shared<const RunSeries>(series);
    RunFacts facts;
    facts.set_runs({std::make_shared<const headroom::Run>(imported)});
    EXPECT_THAT(facts.columns(), testing::Not(testing::Contains("train/grad_norm")));
    EXPECT_EQ(facts.find_column("train/grad_norm"), "train/grad_norm");
    EXPECT_EQ(facts.value(imported, "train/grad_norm").text, "");
}

TEST(LatexText, WhatPdflatexHasNoCharacterForIsMathematics) {
    EXPECT_EQ(latex_text("W_Q = I × 2 → λ₁²"), "W\\_Q = I $\\times$ 2 $\\to$ $\\lambda$$_1$$^2$");
    EXPECT_EQ(latex_text("α ≥ 50 % & é"), "$\\alpha$ $\\ge$ 50 \\% \\& é");
}

}  // namespace
}  // namespace headroom
