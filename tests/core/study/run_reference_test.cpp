#include "core/study/run_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A baseline of 100 steps that keeps a checkpoint every 40, and "next", which starts from `from`.
json study_with(const std::string& from) {
    return {
        {"schema", "headroom-study/1"},
        {"name", "references"},
        {"seeds", {1, 2}},
        {"job", {{"model", {{"preset", "tiny"}}}}},
        {"runs",
         {{{"id", "next"}, {"job", {{"train", {{"steps", 10}, {"init_from", from}}}}}},
          {{"id", "baseline"}, {"job", {{"train", {{"steps", 100}, {"checkpoint_every", 40}}}}}}}}};
}

std::string start_of(const json& document, const std::string& id) {
    for (const StudyRun& run : parse_study(document, "study.json").runs)
        if (run.id == id) return run.job.train.init_from;
    return "no such run";
}

TEST(RunReference, IsTheLastCheckpointOfTheSameSeed) {
    const json document = study_with("run:baseline");
    EXPECT_EQ(start_of(document, "next-s1"),
              "runs/baseline-s1/checkpoints/step-00000100.safetensors");
    EXPECT_EQ(start_of(document, "next-s2"),
              "runs/baseline-s2/checkpoints/step-00000100.safetensors");
    EXPECT_EQ(start_of(document, "baseline-s1"), "random");
}

TEST(RunReference, MayNameAStepOrOneRunForAllSeeds) {
    EXPECT_EQ(start_of(study_with("run:baseline@80"), "next-s2"),
              "runs/baseline-s2/checkpoints/step-00000080.safetensors");
    EXPECT_EQ(start_of(study_with("run:baseline-s1"), "next-s2"),
              "runs/baseline-s1/checkpoints/step-00000100.safetensors");
}

TEST(RunReference, IsTheSamePointOfASweep) {
    json document = study_with("run:baseline");
    document["sweep"] = {{"train.lr", {1e-3, 2e-3}}};
    EXPECT_EQ(start_of(document, "next-lr0.002-s2"),
              "runs/baseline-lr0.002-s2/checkpoints/step-00000100.safetensors");
    document["runs"][0]["sweep"] = json::object();
    EXPECT_THAT([&] { parse_study(document, "study.json"); },
                ThrowsMessage<UserError>(
                    HasSubstr("stands for baseline-lr0.001, baseline-lr0.002; name one")));
    document["runs"][0]["job"]["train"]["init_from"] = "run:baseline-lr0.001";
    EXPECT_EQ(start_of(document, "next-s2"),
              "runs/baseline-lr0.001-s2/checkpoints/step-00000100.safetensors");
}

TEST(RunReference, WhatIsNotThereIsRefused) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"run:basline", "\"basline\", which the study has not; did you mean \"baseline\"?"},
        {"run:", "which the study has not"},
        {"run:next", "names the run itself"},
        {"run:baseline@30", "step 30 of baseline-s1, which keeps no checkpoint"},
        {"run:baseline@120", "step 120 of baseline-s1, which keeps no checkpoint"},
        {"run:baseline@x", "no whole number after the @"},
    };
    for (const auto& entry : wrong)
        EXPECT_THAT([&] { parse_study(study_with(entry.first), "study.json"); },
                    ThrowsMessage<UserError>(HasSubstr(entry.second)))
            << entry.first;
    json document = study_with("run:baseline");
    document["runs"][1]["seeds"] = {1};
    EXPECT_THAT([&] { parse_study(document, "study.json"); },
                ThrowsMessage<UserError>(HasSubstr("\"baseline\", which has no seed 2")));
}

TEST(RunReference, RunsThatStartFromEachOtherAreRefused) {
    json document = study_with("run:baseline");
    document["runs"][1]["job"]["train"]["init_from"] = "run:next";
    EXPECT_THAT(
        [&] { parse_study(document, "study.json"); },
        ThrowsMessage<UserError>(HasSubstr("a circle: next-s1 from baseline-s1 from next-s1; ")));
}

TEST(RunReference, MayStartFromARunThatDoes) {
    json document = study_with("run:baseline");
    document["runs"].push_back({{"id", "last"}, {"job", {{"train", {{"init_from", "run:next"}}}}}});
    EXPECT_EQ(start_of(document, "last-s1"), "runs/next-s1/checkpoints/step-00000010.safetensors");
}

TEST(RunReference, OfAPrunedRunOnlyTheLastIsThere) {
    json document = study_with("run:baseline@80");
    document["runs"][1]["job"]["train"]["keep_checkpoints"] = 1;
    EXPECT_THAT([&] { parse_study(document, "study.json"); },
                ThrowsMessage<UserError>(HasSubstr("keeps no checkpoint")));
}

}  // namespace
}  // namespace headroom
