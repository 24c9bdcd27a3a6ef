#include "app/log_dump.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

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

}  // namespace
}  // namespace headroom
