#include "core/study/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/study/study.h"
#include "core/study/study_edit.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

json example_study() {
    return json::parse(R"({ "schema": "headroom-study/1", "name": "rates",
      "job": { "model": { "preset": "demo" }, "train": { "steps": 10 } },
      "seeds": [1, 2],
      "sweep": { "train.lr": [0.001, 0.002] },
      "runs": [ { "id": "baseline" },
                { "id": "skipv1", "job": { "model": { "arch": "skipv1" } },
                  "sweep": { "train.lr": [0.004], "model.tie": [true, false] } },
                { "id": "once", "sweep": {}, "seed": 7 } ],
      "figures": [ { "name": "loss", "recipe": "loss", "runs": ["baseline"] } ] })");
}

std::vector<std::string> ids(const std::vector<StudyRun>& runs) {
    std::vector<std::string> list;
    for (const StudyRun& run : runs) list.push_back(run.id);
    return list;
}

TEST(Sweep, MakesEveryCombinationOfEveryRun) {
    const Study study = parse_study(example_study(), "study.json");
    EXPECT_THAT(
        ids(study.runs),
        ElementsAre("baseline-lr0.001-s1", "baseline-lr0.002-s1", "skipv1-tie-lr0.004-s1",
                    "skipv1-no-tie-lr0.004-s1", "baseline-lr0.001-s2", "baseline-lr0.002-s2",
                    "skipv1-tie-lr0.004-s2", "skipv1-no-tie-lr0.004-s2", "once"));
    const StudyRun& run = study.runs[1];
    EXPECT_EQ(run.variant, "baseline-lr0.002");
    EXPECT_EQ(run.entry, "baseline");
    EXPECT_EQ(run.job.name, "baseline-s1") << "what differs is said where it is shown";
    EXPECT_EQ(run.job.train.lr, 0.002);
    EXPECT_EQ(run.job.train.min_lr, 0.0002) << "what follows from the key follows it here too";
    EXPECT_FALSE(study.runs[3].job.model.tie);
}

// Such a run ended the queue: no folder can be called so.
TEST(Sweep, ValuesOfAnyLengthMakeNamesOfFolders) {
    json document = example_study();
    const auto ids_with = [&](size_t length) {
        const std::string value(length, 'x');
        document["sweep"] = {{"data.train", {"text:" + value + "/a", "text:" + value + "/b"}}};
        document["runs"] = {{{"id", "baseline"}}};
        return ids(parse_study(document, "s").runs);
    };
    const std::vector<std::string> made = ids_with(300);
    ASSERT_THAT(made, SizeIs(4));
    EXPECT_NE(made[0], made[1]);
    for (const std::string& id : made) EXPECT_TRUE(names_a_file(id, kLongestRunFolder)) << id;
    EXPECT_EQ(made, ids_with(300));
    EXPECT_EQ(ids_with(200)[0], "baseline-text_" + std::string(200, 'x') + "_a-s1")
        << "what has a folder keeps it";
}

TEST(Sweep, AnEntryStandsForItsWholeGridInFigures) {
    EXPECT_THAT(parse_study(example_study(), "s").figures[0].runs, SizeIs(4));
}

TEST(Sweep, WithoutKeysIsOnePoint) {
    int points = 0;
    for_each_point(json::object(), "a", "sweep",
                   [&](const std::string& suffix, const json& changes) {
                       ++points;
                       EXPECT_EQ(suffix, "");
                       EXPECT_THAT(changes, IsEmpty());
                   });
    EXPECT_EQ(points, 1);
}

TEST(Sweep, TextsNameRunsAsFilesMayBeCalled) {
    for_each_point(json({{"data.train", json::array({"text:a b"})}}), "a", "sweep",
                   [](const std::string& suffix, const json& changes) {
                       EXPECT_EQ(suffix, "-text_a_b");
                       EXPECT_EQ(changes, json({{"data", {{"train", "text:a b"}}}}));
                   });
}

TEST(Sweep, WhatIsNoGridIsRefused) {
    const auto refused = [](const json& sweep, const char* because) {
        json document = example_study();
        document["sweep"] = sweep;
        EXPECT_THAT([&] { parse_study(document, "study.json"); },
                    ThrowsMessage<UserError>(HasSubstr(because)));
    };
    refused(json::array(), "is not an object");
    refused({{"train.lr", 0.1}}, "is no list of values");
    refused({{"train.lr", json::array()}}, "is no list of values");
    refused({{"train.lr", json::array({json::object()})}}, "no plain value");
    refused({{"seed", json::array({1})}}, "list \"seeds\"");
    refused({{".lr", json::array({1})}}, "write it as");
    refused({{"train.lrr", json::array({0.1})}}, "did you mean");
    refused({{"train", json::array({"x"})}, {"train-a", {1}}, {"train.lr", json::array({0.1})}},
            "\"train\" and \"train.lr\"");
    refused({{"train.lr", {0.1, 0.1}}}, "two runs would be called");
    json many = json::array();
    for (int i = 1; i <= 100; ++i) many.push_back(i);
    refused({{"train.steps", many}, {"train.batch_size", many}}, "more than 4096 points");
}

TEST(Sweep, ARunThatIsRemovedLeavesTheOtherPoints) {
    const TemporaryFolder folder;
    write_plainly(folder.path() / "study.json", example_study().dump());
    remove_runs(folder.path(),
                {"skipv1-tie-lr0.004-s1", "baseline-lr0.001-s1", "baseline-lr0.001-s2"});
    const Study study = load_study(folder.path() / "study.json");
    EXPECT_THAT(ids(study.runs),
                testing::UnorderedElementsAre("baseline-lr0.002-s1", "baseline-lr0.002-s2",
                                              "skipv1-no-tie-lr0.004-s1", "skipv1-tie-lr0.004-s2",
                                              "skipv1-no-tie-lr0.004-s2", "once"));
    for (const StudyRun& run : study.runs)
        if (run.variant == "baseline-lr0.002") {
            EXPECT_EQ(run.job.train.lr, 0.002);
        }
}

TEST(Sweep, WhatStartsFromAPointOfItStillDoesWhereOthersAreRemoved) {
    const TemporaryFolder folder;
    write_plainly(folder.path() / "study.json", R"({
        "schema": "headroom-study/1", "name": "s", "job": { "data": { "train": "task:grammar" } },
        "sweep": { "train.lr": [0.001, 0.002] },
        "runs": [ { "id": "a" },
                  { "id": "b", "job": { "train": { "init_from": "run:a@500" } } } ] })");
    const std::string before = load_study(folder.path() / "study.json").runs[3].job.train.init_from;
    remove_runs(folder.path(), {"a-lr0.001", "b-lr0.001"});
    const Study study = load_study(folder.path() / "study.json");
    ASSERT_THAT(ids(study.runs), testing::ElementsAre("a-lr0.002", "b-lr0.002"));
    EXPECT_EQ(study.runs[1].job.train.init_from, before);
}

TEST(Sweep, APointThatStartsFromAnotherSweepCanGoAlone) {
    const TemporaryFolder folder;
    write_plainly(folder.path() / "study.json", R"({
        "schema": "headroom-study/1", "name": "s", "job": { "data": { "train": "task:grammar" } },
        "sweep": { "train.lr": [0.001, 0.002] },
        "runs": [ { "id": "a" },
                  { "id": "b", "job": { "train": { "init_from": "run:a" } } } ] })");
    const std::string before = load_study(folder.path() / "study.json").runs[3].job.train.init_from;
    remove_runs(folder.path(), {"b-lr0.001"});
    const Study study = load_study(folder.path() / "study.json");
    ASSERT_THAT(ids(study.runs), testing::ElementsAre("a-lr0.001", "a-lr0.002", "b-lr0.002"));
    EXPECT_EQ(study.runs[2].job.train.init_from, before);
}

TEST(Sweep, ARunThatIsAddedStandsOutsideOfIt) {
    const TemporaryFolder folder;
    write_plainly(folder.path() / "study.json", example_study().dump());
    Job job = parse_study(example_study(), "s").runs[0].job;
    job.train.lr = 0.008;
    job.seed = 3;
    job.name = "fast";
    add_runs(folder.path(), {{"fast", "fast", job}});
    const Study study = load_study(folder.path() / "study.json");
    EXPECT_EQ(study.runs.size(), 10u);
    EXPECT_EQ(study.runs.back().id, "fast");
    EXPECT_EQ(study.runs.back().job.train.lr, 0.008);
}

}  // namespace
}  // namespace headroom
