#include "core/study/run_budget.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/training_cost.h"
#include "core/base/error.h"
#include "core/study/study.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// 2 * 3 * 16 = 96 tokens a step.
json equal_compute() {
    return json::parse(R"({ "schema": "headroom-study/1", "name": "equal compute",
      "job": { "model": { "n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16,
                          "vocab_size": 50 },
               "train": { "batch_size": 2, "grad_accum": 3, "seq_len": 16, "warmup_steps": 700,
                          "steps": 5000 } },
      "budget": { "tokens": 100000 },
      "runs": [ { "id": "a" },
                { "id": "wide", "job": { "model": { "d_model": 32 } } },
                { "id": "long", "job": { "train": { "steps": 9000 } } },
                { "id": "own", "budget": { "tokens": 2e5 } } ] })");
}

std::map<std::string, Job> jobs_by_variant(const json& document) {
    std::map<std::string, Job> list;
    for (const StudyRun& run : parse_study(document, "test").runs) list[run.variant] = run.job;
    return list;
}

TEST(RunBudget, TokensBecomeTheNearestSteps) {
    const std::map<std::string, Job> runs = jobs_by_variant(equal_compute());
    EXPECT_EQ(runs.at("a").train.steps, 1042);  // 100,032 tokens; 1041 would be 99,936
    EXPECT_EQ(runs.at("wide").train.steps, 1042);
    EXPECT_EQ(runs.at("long").train.steps, 9000) << "it says its steps";
    EXPECT_EQ(runs.at("own").train.steps, 2083);
}

TEST(RunBudget, ALittleIsAStepAtLeast) {
    json document = equal_compute();
    document["job"]["train"]["warmup_steps"] = 0;
    document["budget"] = {{"tokens", 1}};
    EXPECT_EQ(jobs_by_variant(document).at("a").train.steps, 1);
}

TEST(RunBudget, FlopsAreThoseOfEachModel) {
    json document = equal_compute();
    document["budget"] = {{"flops", 2e10}};
    const std::map<std::string, Job> runs = jobs_by_variant(document);
    for (const char* id : {"a", "wide"}) {
        const Job& job = runs.at(id);
        const double step = training_cost(job).flops / static_cast<double>(job.train.steps);
        EXPECT_NEAR(training_cost(job).flops, 2e10, step / 2) << id;
    }
    EXPECT_GT(runs.at("a").train.steps, 2 * runs.at("wide").train.steps);
}

TEST(RunBudget, GoesWithAGridAndNotWithOneOfSteps) {
    json document = equal_compute();
    document["runs"] = {{{"id", "a"}}};
    document["sweep"] = {{"train.batch_size", {1, 2}}};
    std::map<std::string, Job> runs = jobs_by_variant(document);
    EXPECT_EQ(runs.at("a-batch_size1").train.steps, 2083);
    EXPECT_EQ(runs.at("a-batch_size2").train.steps, 1042);
    document["sweep"] = {{"train.steps", {800, 900}}};
    runs = jobs_by_variant(document);
    EXPECT_EQ(runs.at("a-steps800").train.steps, 800);
    document["runs"][0]["budget"] = {{"tokens", 1e5}};
    EXPECT_THAT([&] { jobs_by_variant(document); },
                ThrowsMessage<UserError>(HasSubstr("has both a budget and train.steps")));
}

TEST(RunBudget, RefusesWhatIsNone) {
    const auto refused = [](const json& budget, const char* why) {
        json document = equal_compute();
        document["budget"] = budget;
        EXPECT_THAT([&] { jobs_by_variant(document); }, ThrowsMessage<UserError>(HasSubstr(why)))
            << budget;
    };
    refused({{"token", 1e5}}, "did you mean \"tokens\"");
    refused({{"tokens", 1e5}, {"flops", 1e9}}, "is not one amount");
    refused({{"tokens", 0}}, "is no amount");
    refused({{"tokens", "many"}}, "is no amount");
    refused(1e5, "budget");
    refused({{"tokens", 96 * 500}}, "warmup");  // 500 steps, 700 of them to warm up
    json document = equal_compute();
    document["job"]["model"].erase("vocab_size");
    document["budget"] = {{"flops", 1e12}};
    EXPECT_THAT([&] { jobs_by_variant(document); },
                ThrowsMessage<UserError>(HasSubstr("set model.vocab_size")));
}

TEST(RunBudget, IsInTheCommonJobWhereItCanBeTold) {
    json document = equal_compute();
    EXPECT_EQ(common_job(document)["train"]["steps"], 1042);
    document["budget"] = {{"flops", 1e9}};
    document["job"]["model"].erase("vocab_size");
    EXPECT_EQ(common_job(document), document["job"]);
    document.erase("budget");
    EXPECT_EQ(common_job(document), document["job"]);
    EXPECT_TRUE(common_job(json::object()).is_null());
}

}  // namespace
}  // namespace headroom
