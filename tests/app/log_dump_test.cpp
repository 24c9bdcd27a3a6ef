#include "app/log_dump.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

RunSeries two_steps() {
    RunSeries series;
    series.state = RunState::kRunning;
    series.attributes.job_json = "{\"name\": \"a\"}";
    series.train.step = {1, 2};
    series.train.tokens = {64, 128};
    series.train.loss = {5.55f, std::numeric_limits<float>::quiet_NaN()};
    series.train.lr = {1e-3f, 2e-3f};
    series.train.grad_norm = {1, 2};
    series.train.seconds = {0.5, 1.25};
    series.train.batch_hash = {18446744073709551615ull, 7};
    series.val.step = {2};
    series.val.tokens = {128};
    series.val.loss = {4.25f};
    return series;
}

TEST(DumpCsv, PutsTheIndexFirst) {
    EXPECT_EQ(dump_csv(two_steps(), Names{"train/loss"}), "train/step,train/loss\n1,5.55\n2,nan\n");
    EXPECT_EQ(dump_csv(two_steps(), Names{"train/seconds", "train/step", "train/batch_hash"}),
              "train/step,train/seconds,train/batch_hash\n1,0.5,18446744073709551615\n2,1.25,7\n");
}

TEST(DumpCsv, SeparatesGroupsByAnEmptyLine) {
    EXPECT_EQ(dump_csv(two_steps(), Names{"val/loss", "train/lr"}),
              "train/step,train/lr\n1,0.001\n2,0.002\n\nval/step,val/loss\n2,4.25\n");
}

TEST(DumpCsv, LeavesOutWhatALogOfAnotherProgramLacks) {
    RunSeries series = two_steps();
    series.train.batch_hash.clear();
    EXPECT_EQ(dump_csv(series, Names{"train/batch_hash"}), "train/step,train/batch_hash\n1,\n2,\n");
}

TEST(DumpJson, IsOneDocumentThatReadsBackExactly) {
    const auto document =
        nlohmann::json::parse(dump_json(two_steps(), Names{"train/loss", "train/batch_hash"}));
    EXPECT_EQ(document["state"], "running");
    EXPECT_EQ(document["job"]["name"], "a");
    const auto& series = document["series"];
    EXPECT_EQ(static_cast<float>(series["train/loss"][0].get<double>()), 5.55f);
    EXPECT_TRUE(series["train/loss"][1].is_null());
    EXPECT_EQ(series["train/batch_hash"][0].get<uint64_t>(), 18446744073709551615ull);
    EXPECT_EQ(series.size(), 2u);
}

TEST(DumpJson, TakesAJobNestedWithoutEndForNone) {
    RunSeries series = two_steps();
    const int depth = 200000;
    series.attributes.job_json.clear();
    for (int i = 0; i < depth; ++i) series.attributes.job_json += "{\"a\":";
    series.attributes.job_json += "1" + std::string(depth, '}');
    EXPECT_TRUE(nlohmann::json::parse(dump_json(series, Names{"train/loss"}))["job"].is_null());
}

TEST(DumpJson, PrintsSinglePrecisionWithoutNoise) {
    EXPECT_THAT(dump_json(two_steps(), Names{"train/loss"}), HasSubstr("[5.55,null]"));
}

TEST(Dump, HoldsTheScalarsThatARunDeclared) {
    RunSeries series = two_steps();
    series.scalars["mlp"].step = {2};
    series.scalars["mlp"].value = {0.5};
    EXPECT_THAT(series_names(series), testing::Contains("scalars/mlp/value"));
    const auto document = nlohmann::json::parse(dump_json(series, series_names(series)));
    EXPECT_EQ(document["series"]["scalars/mlp/step"], nlohmann::json::parse("[2]"));
    EXPECT_EQ(document["series"]["scalars/mlp/value"], nlohmann::json::parse("[0.5]"));
    EXPECT_THAT(dump_csv(series, series_names(series)),
                HasSubstr("\nscalars/mlp/step,scalars/mlp/value\n2,0.5\n"));
}

TEST(Dump, NamesTheNearestSeries) {
    try {
        dump_csv(two_steps(), Names{"train/los"});
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     "there is no series \"train/los\"; did you mean \"train/loss\"?");
    }
    EXPECT_THROW(dump_json(two_steps(), Names{"status/state"}), UserError);
}

TEST(DumpContents, CountsTheRows) {
    EXPECT_THAT(dump_contents(two_steps()), HasSubstr("state: running\n"));
    EXPECT_EQ(series_names(two_steps()).size(), 15u);
}

/// A run with a log of two steps in a study's folder.
std::string logged_run(const TemporaryFolder& study, const std::string& id) {
    const RunFolder run = create_run_folder(study / "runs" / id);
    write_job(run, "{}");
    RunLogWriter log = RunLogWriter::create(
        run.log(), {"{}", "headroom test", "host", "cpu", "2025-01-31T12:00:00Z"});
    for (int64_t step = 1; step <= 2; ++step)
        log.append_train({.step = step, .tokens = step, .loss = 2});
    log.close();
    return run.root.string();
}

// Runs that began within a second took each other's place, and TensorBoard joins what lies
// together.
TEST(LogExport, RunsDoNotTakeEachOthersPlace) {
    const TemporaryFolder study;
    const std::string a = logged_run(study, "a"), b = logged_run(study, "b");
    const std::string board = (study / "board").string();
    EXPECT_EQ(headroom({"log", "export", a, "--out", board}).status, 0);
    EXPECT_EQ(headroom({"log", "export", a, "--out", board}).status, 0) << "anew";
    expect_one_error_line(headroom({"log", "export", b, "--out", board}), 2,
                          "give each run its own folder, such as " + board + "/b");
    EXPECT_EQ(headroom({"log", "export", b, "--out", board + "/b"}).status, 0);
    EXPECT_EQ(entries_of(board).size(), 2u);
}

TEST(LogExport, TakesThePlaceOfNoFileOfARun) {
    const TemporaryFolder study;
    const std::string run = logged_run(study, "a");
    const std::string log = read_text(run + "/log.h5");
    for (const char* file : {"/log.h5", "/job.json"})
        expect_one_error_line(
            headroom({"log", "export", run, "--format", "csv", "--out", run + file}), 2,
            "belongs to a run; name another file");
    EXPECT_EQ(read_text(run + "/log.h5"), log);
    EXPECT_EQ(headroom({"log", "export", run, "--format", "csv", "--out", run + "/own.csv"}).status,
              0);
}

}  // namespace
}  // namespace headroom
