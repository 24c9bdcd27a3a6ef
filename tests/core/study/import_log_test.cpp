#include "core/study/import_log.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/log/named_series.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/run_status.h"
#include "core/study/study.h"
#include "core/study/study_edit.h"
#include "core/study/trash.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ForeignLog foreign_example() {
    ForeignLog log{"TensorBoard", {}};
    for (const int step : {10, 20, 30}) {
        log.add("loss/train", {step, 1.7e9 + step, 4.0 - 0.1 * step});
        log.add("lr", {step, 1.7e9 + step, 1e-3});
        log.add("router/balance", {step, 1.7e9 + step, 0.5});
    }
    log.add("eval/loss", {20, 1.7e9 + 20, 3.25});
    return log;
}

TEST(ImportLog, LossesStandWhereEveryRunHasThem) {
    const TemporaryFolder folder;
    const std::filesystem::path run = folder / "runs" / "theirs";
    const ImportReport report =
        import_log(foreign_example(), {.name = "theirs", .tokens_per_step = 512}, run);
    EXPECT_EQ(report.train_loss, "loss/train");
    EXPECT_EQ(report.val_loss, "eval/loss");
    EXPECT_THAT(report.others, ElementsAre("lr", "router_balance"));
    const RunSeries series = read_run_log(RunFolder{run}.log());
    ASSERT_EQ(series.train.step.size(), 3u);
    EXPECT_EQ(series.train.step[1], 20);
    EXPECT_EQ(series.train.tokens[1], 20 * 512);
    EXPECT_FLOAT_EQ(series.train.loss[1], 2.0f);
    EXPECT_FLOAT_EQ(series.train.lr[1], 1e-3f);
    EXPECT_EQ(series.train.seconds[2], 20);
    ASSERT_EQ(series.val.step.size(), 1u);
    EXPECT_EQ(series.val.loss[0], 3.25f);
    EXPECT_EQ(series.scalars.at("router_balance").value.size(), 3u);
    EXPECT_EQ(series.state, RunState::kFinished);
    EXPECT_EQ(series.attributes.started, "2023-11-14T22:13:30Z");
    EXPECT_EQ(list_runs(folder.path()).size(), 1u);
}

/// What a log says of its seconds leaves pauses out, which the time of day does not.
TEST(ImportLog, SecondsThatAreLoggedComeBeforeTheTimeOfDay) {
    const TemporaryFolder folder;
    ForeignLog log = foreign_example();
    for (const int step : {10, 20}) log.add("seconds", {step, 1.7e9 + step, 0.25 * step});
    const std::filesystem::path run = folder / "runs" / "theirs";
    import_log(log, {.name = "theirs", .tokens_per_step = 512}, run);
    const RunSeries series = read_run_log(RunFolder{run}.log());
    EXPECT_EQ(series.train.seconds[0], 2.5);
    EXPECT_EQ(series.train.seconds[1], 5);
}

TEST(ImportLog, GoesOutAgainWithTheSameNumbers) {
    const TemporaryFolder folder;
    import_log(foreign_example(), {.name = "theirs", .tokens_per_step = 512},
               folder / "runs" / "a");
    const ForeignLog log =
        exported_log(read_run_log(RunFolder{folder / "runs" / "a"}.log()), 1.7e9 + 10);
    const auto& losses = log.scalars.at("train/loss");
    ASSERT_EQ(losses.size(), 3u);
    EXPECT_FLOAT_EQ(static_cast<float>(losses[2].value), 1.0f);
    EXPECT_EQ(losses[2].wall_time, 1.7e9 + 30);
    EXPECT_EQ(log.scalars.at("val/loss")[0].step, 20);
    EXPECT_EQ(log.scalars.at("scalars/router_balance").size(), 3u);
    // What it needs to come back in.
    import_log(log, {.name = "again"}, folder / "runs" / "b");
    const RunSeries again = read_run_log(RunFolder{folder / "runs" / "b"}.log());
    EXPECT_EQ(again.train.tokens[2], 30 * 512);
}

TEST(ImportLog, TwoRunsOfWhichNothingIsKnownAreNotSeedsOfOneJob) {
    const TemporaryFolder folder;
    nlohmann::json jobs[2];
    for (int i : {0, 1}) {
        const auto run = folder / "runs" / (i == 0 ? "a" : "b");
        import_log(foreign_example(), {.name = "same", .tokens_per_step = 1}, run);
        jobs[i] = load_json(RunFolder{run}.job());
        EXPECT_EQ(jobs[i].at("train").at("steps"), 30);
    }
    EXPECT_NE(jobs[0].at(kImportedFrom), jobs[1].at(kImportedFrom));
}

TEST(ImportLog, SaysWhatIsMissing) {
    const TemporaryFolder folder;
    const auto refuse = [&](const ForeignLog& log, const ImportChoice& choice) -> std::string {
        try {
            import_log(log, choice, folder / "runs" / "x");
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refuse(foreign_example(), {.name = "x"}), HasSubstr("--tokens-per-step"));
    ForeignLog lightning;
    lightning.add("train_loss_step", {1, 0, 3});
    lightning.add("val_loss", {1, 0, 3});
    EXPECT_EQ(plan_import(lightning, {.tokens_per_step = 1}).train_loss, "train_loss_step");
    ForeignLog other;
    other.add("my_loss", {1, 0, 3});
    other.add("val_loss", {1, 0, 3});
    EXPECT_THAT(plan_import(other, {.tokens_per_step = 1}).notes,
                ElementsAre(HasSubstr("name it with --train-loss")));
    EXPECT_THAT(
        refuse(foreign_example(), {.name = "x", .train_loss = "los/train", .tokens_per_step = 1}),
        HasSubstr("loss/train"));
    EXPECT_THAT(refuse(foreign_example(), {.name = "x", .tokens_per_step = int64_t{1} << 62}),
                HasSubstr("too many to count"));
    ForeignLog strange{"CSV", {}};
    strange.add("accuracy", {1, 0, 0.5});
    EXPECT_THAT(refuse(strange, {.name = "x", .tokens_per_step = 1}), HasSubstr("accuracy"));
    EXPECT_FALSE(std::filesystem::exists(folder / "runs" / "x"));
    ForeignLog counted = foreign_example();
    counted.add("tokens", {10, 0, 5000});
    EXPECT_EQ(refuse(counted, {.name = "x"}), "");
    EXPECT_THAT(refuse(counted, {.name = "x"}), HasSubstr("holds a run already"));
    // Without its job it is what a killed import leaves; a log of ours without one is a person's.
    std::filesystem::remove(folder / "runs" / "x" / "job.json");
    EXPECT_EQ(refuse(counted, {.name = "x"}), "");
    std::filesystem::remove(folder / "runs" / "x" / "job.json");
    std::filesystem::remove(folder / "runs" / "x" / "log.h5");
    RunLogWriter::create(folder / "runs" / "x" / "log.h5", {"{}", "headroom", "", "", ""}).close();
    EXPECT_THAT(refuse(counted, {.name = "x"}), HasSubstr("holds a run already"));
}

TEST(ImportLog, TellsOfStepsThatCannotBe) {
    const TemporaryFolder folder;
    ForeignLog log = foreign_example();
    log.add("loss/train", {-7, 0, 1});
    log.add("accuracy", {1, 0, -1e40});
    const ImportReport report =
        import_log(log, {.name = "x", .tokens_per_step = 1}, folder / "runs" / "x");
    EXPECT_EQ(report.train_rows, 3);
    EXPECT_THAT(report.notes, ElementsAre(HasSubstr("left out: 1 points, as no step"),
                                          HasSubstr("infinite in the log: 1 value")));
}

// The mean over the run, which Hugging Face's Trainer logs once at its end, was the whole curve.
TEST(ImportLog, TheCurveIsTheLossWithTheMostPoints) {
    ForeignLog log{"JSON lines", {}};
    for (const int step : {10, 20, 30}) log.add("loss", {step, 0, 4.0 - 0.1 * step});
    for (const int step : {10, 20}) log.add("train_loss", {step, 0, std::nan("")});
    log.add("train_loss", {30, 0, 2.0});
    log.add("test/loss", {30, 0, 2.5});
    log.add("eval_loss", {30, 0, 2.25});
    const ImportReport report = plan_import(log, {.tokens_per_step = 1});
    EXPECT_EQ(report.train_loss, "loss");
    EXPECT_EQ(report.val_loss, "eval_loss") << "the first of equals";
    EXPECT_THAT(report.others, ElementsAre("test_loss", "train_loss"));
    EXPECT_THAT(report.notes,
                ElementsAre(HasSubstr("loss is taken for its 3 points, not train_loss (1)"),
                            HasSubstr("eval_loss is taken for its 1 points, not test/loss (1)")));
    EXPECT_EQ(plan_import(log, {.train_loss = "train_loss", .tokens_per_step = 1}).train_loss,
              "train_loss");
}

// They were 0: comparisons printed a gradient norm of 0.0000, and figures drew it.
TEST(ImportLog, WhatTheToolDidNotLogIsUnknown) {
    const TemporaryFolder folder;
    ForeignLog log{"CSV", {}};
    for (const int step : {1, 2, 3}) log.add("train/loss", {step, 0, 3});
    log.add("lr", {2, 0, 0.5});
    import_log(log, {.tokens_per_step = 4}, folder / "runs" / "x");
    const RunSeries series = read_run_log(RunFolder{folder / "runs" / "x"}.log());
    EXPECT_TRUE(std::isnan(series.train.lr[0]));
    EXPECT_EQ(series.train.lr[2], 0.5f);
    for (const float norm : series.train.grad_norm) EXPECT_TRUE(std::isnan(norm));
    EXPECT_TRUE(find_series(series, "train/lr"));
    EXPECT_FALSE(find_series(series, "train/grad_norm"));
    const ForeignLog exported = exported_log(series, 0);
    EXPECT_TRUE(exported.scalars.contains("train/lr"));
    EXPECT_FALSE(exported.scalars.contains("train/grad_norm"));
}

TEST(ImportLog, TokensThatAreNoNumberAreNone) {
    const TemporaryFolder folder;
    ForeignLog log{"CSV", {}};
    const double tokens[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, -1, 1e300, 40};
    for (int i = 0; i < 6; ++i) {
        log.add("loss", {i, 0, 3});
        log.add("tokens", {i, 0, tokens[i]});
    }
    import_log(log, {}, folder / "runs" / "x");
    EXPECT_THAT(read_run_log(RunFolder{folder / "runs" / "x"}.log()).train.tokens.to_vector(),
                ElementsAre(0, 0, 0, 0, 9'000'000'000'000'000'000, 40));
}

// Either was imported into a log that nothing could read, and called a success.
TEST(ImportLog, OfMoreScalarsOrLongerNamesThanALogHoldsItCanBeReadAllTheSame) {
    const TemporaryFolder folder;
    ForeignLog log{"CSV", {}};
    log.add("loss", {1, 0, 3});
    for (const std::string& name :
         {std::string(), std::string(70'000, 'x'), std::string("a\n\xff")})
        log.add(name, {1, 0, 4});
    for (int i = 0; i < 1025; ++i) log.scalars["z" + std::to_string(i)];
    const ImportReport report = import_log(log, {.tokens_per_step = 1}, folder / "runs" / "x");
    EXPECT_THAT(report.notes, ElementsAre(HasSubstr("left out: 4 scalars")));
    EXPECT_EQ(report.others.size(), kMostScalars);
    const RunSeries series = read_run_log(RunFolder{folder / "runs" / "x"}.log());
    EXPECT_EQ(series.scalars.size(), kMostScalars);
    EXPECT_EQ(series.scalars.at("_").value[0], 4);
    EXPECT_LT(series.scalars.at(std::string(56, 'x')).help.size(), 300u);
    EXPECT_EQ(series.scalars.at("a__").help, "a\\n\uFFFD of CSV");
}

// The trash did not take runs of such names, and said that it had.
TEST(ImportLog, ARunHasANameUnderWhichItCanBeRemoved) {
    const TemporaryFolder folder;
    begin_study(folder.path());
    for (const std::string& source : {std::string("-x.csv"), std::string("\u00e4\u00f6.log"),
                                      ".a b." + std::string(200, 'c') + ".jsonl"}) {
        const std::string id = run_id_of_source(source);
        EXPECT_TRUE(names_a_file(id)) << id;
        import_log(foreign_example(), {.tokens_per_step = 1},
                   imported_run_folder(folder.path(), id));
        EXPECT_NE(trash_runs(folder.path(), {id}), "") << id;
        EXPECT_FALSE(std::filesystem::exists(folder / "runs" / id));
    }
    for (const std::string& id : {std::string("-x"), std::string(101, 'x'), std::string(".x")})
        EXPECT_THROW(imported_run_folder(folder.path(), id), UserError) << id;
}

// They were "finished, 0 / 400, 0 %".
TEST(ImportLog, ARunOfEvaluationsAloneHasMadeItsSteps) {
    const TemporaryFolder folder;
    ForeignLog log{"CSV", {}};
    for (const int step : {200, 400}) log.add("val/loss", {step, 0, 3});
    import_log(log, {.tokens_per_step = 4}, folder / "runs" / "x");
    log.add("train/loss", {390, 0, 3});
    import_log(log, {.tokens_per_step = 4}, folder / "runs" / "y");
    for (const char* id : {"x", "y"}) {
        const RunFolder run{folder / "runs" / id};
        EXPECT_EQ(RunLogReader::open(run.log()).tail().step, 400) << id;
        EXPECT_EQ(run_status(run.root).step, 400) << id;
        EXPECT_EQ(run_status(run.root).steps, 400) << id;
    }
}

// They were all of one name, that of the table.
TEST(ImportLog, ARunOfSeveralHasItsOwnName) {
    EXPECT_EQ(run_id_of_source("runs/panel.csv", "lr-0.5 s1"), "lr-0-5-s1");
    EXPECT_EQ(run_id_of_source("runs/panel.csv"), "panel");
}

}  // namespace
}  // namespace headroom
