#include "core/study/study_edit.h"

#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/study/job_changes.h"
#include "core/study/run_folder.h"
#include "core/study/study_edit_figures.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr char kStudy[] = R"({
  "schema": "headroom-study/1",
  "name": "first",
  "seeds": [1, 2],
  "runs": [
    {"id": "skipv1", "job": {"model": {"arch": "skipv1"}}},
    {"id": "baseline"}
  ],
  "job": {"model": {"preset": "tiny", "n_layer": 3}, "train": {"steps": 300}},
  "figures": [{"name": "loss", "recipe": "loss"}]
}
)";

class StudyEditTest : public testing::Test {
  protected:
    StudyEditTest() { write_plainly(file(), kStudy); }
    std::filesystem::path file() const { return dir_.path() / "study.json"; }
    Study study() const { return load_study(file()); }
    std::vector<std::string> ids() const {
        std::vector<std::string> list;
        for (const StudyRun& run : study().runs) list.push_back(run.id);
        return list;
    }
    Job job(const char* changes) const {
        const json common = load_json(file()).at("job");
        return parse_job(merged(common, json::parse(changes)), "");
    }
    static StudyRun seeded(const std::string& variant, int64_t seed, Job job) {
        job.seed = seed;
        job.name = variant;
        return {variant + "-s" + std::to_string(seed), variant, job};
    }
    TemporaryFolder dir_;
};

// They took the budget's steps, whatever their jobs said.
TEST_F(StudyEditTest, RunsOfAProgramKeepTheirStepsInAStudyWithABudget) {
    json document = json::parse(kStudy);
    document["budget"] = {{"tokens", 1e6}};
    write_plainly(file(), document.dump());
    add_runs(dir_.path(),
             {seeded("new", 1, job("{}")), seeded("short", 1, job(R"({"train": {"steps": 7}})"))});
    std::map<std::string, int64_t> steps;
    for (const StudyRun& run : study().runs) steps[run.id] = run.job.train.steps;
    EXPECT_EQ(steps["new-s1"], 300);
    EXPECT_EQ(steps["short-s1"], 7);
}

TEST_F(StudyEditTest, PublishedWordsWithoutValuesOutliveARun) {
    json document = json::parse(kStudy);
    document["published"] = {{{"source", "Table 1"}, {"measure", "val.loss"}}};
    write_plainly(file(), document.dump());
    remove_runs(dir_.path(), {"skipv1-s1", "skipv1-s2"});
    EXPECT_THAT(ids(), ElementsAre("baseline-s1", "baseline-s2"));
    EXPECT_EQ(study().published.size(), 1u);
}

TEST_F(StudyEditTest, StepsAreRaisedAndNeverLowered) {
    const std::string before = read_text(file());
    raise_steps(dir_.path(), {{"skipv1", 300}, {"baseline", 200}, {"nobody", 900}});
    EXPECT_EQ(read_text(file()), before);
    raise_steps(dir_.path(), {{"skipv1", 400}, {"baseline", 500}});
    for (const StudyRun& run : study().runs) {
        EXPECT_EQ(run.job.train.steps, run.variant == "skipv1" ? 400 : 500);
        EXPECT_EQ(run.job.model.arch, run.variant == "skipv1" ? "skipv1" : "gpt2");
    }
}

TEST_F(StudyEditTest, AVariantIsWrittenAsWhatItHasOtherwise) {
    const Job mla = job(R"({"model": {"arch": "mla"}})");
    add_runs(dir_.path(), {seeded("mla", 3, mla), seeded("mla", 5, mla)});
    const json entry = load_json(file()).at("runs").at(2);
    EXPECT_EQ(entry.at("seeds"), json({3, 5}));
    EXPECT_EQ(entry.at("job"), json({{"model", {{"arch", "mla"}}}}));
    EXPECT_THAT(ids(), ElementsAre("skipv1-s1", "baseline-s1", "skipv1-s2", "baseline-s2", "mla-s3",
                                   "mla-s5"));
}

TEST_F(StudyEditTest, TheRestOfTheFileStaysAsItStands) {
    add_runs(dir_.path(), {seeded("wide", 1, job(R"({"model": {"d_model": 96}})"))});
    const std::string text = read_text(file());
    EXPECT_LT(text.find("\"runs\""), text.find("\"job\": {\n    \"model\": {\n      \"preset\""));
    EXPECT_THAT(text, HasSubstr("\"preset\": \"tiny\",\n      \"n_layer\": 3"));
}

TEST_F(StudyEditTest, AnEqualVariantGetsTheSeedsThatItLacks) {
    add_runs(dir_.path(), {seeded("baseline", 2, job("{}")), seeded("baseline", 7, job("{}"))});
    EXPECT_THAT(ids(),
                ElementsAre("skipv1-s1", "baseline-s1", "skipv1-s2", "baseline-s2", "baseline-s7"));
}

TEST_F(StudyEditTest, AFurtherSeedOfAPointOfASweepStandsAlone) {
    json document = json::parse(kStudy);
    document["sweep"] = {{"train.lr", {0.001, 0.002}}};
    write_plainly(file(), document.dump());
    const size_t before = ids().size();
    add_runs(dir_.path(), {seeded("baseline-lr0.002", 3, job(R"({"train": {"lr": 0.002}})"))});
    EXPECT_EQ(ids().size(), before + 1);
    const json added = load_json(file()).at("runs").back();
    EXPECT_EQ(added.at("id"), "baseline-lr0.002");
    EXPECT_EQ(added.at("seeds"), json({3})) << "those of the sweep stay where they are";
    EXPECT_EQ(added.at("sweep"), json::object());
}

TEST_F(StudyEditTest, AnotherVariantOfTheNameIsRefusedAndNothingWritten) {
    const std::string before = read_text(file());
    const Job other = job(R"({"train": {"lr": 3e-4}})");
    EXPECT_THAT(
        [&] {
            add_runs(dir_.path(), {seeded("new", 1, other), seeded("baseline", 1, other)});
        },
        ThrowsMessage<UserError>(HasSubstr("another name")));
    EXPECT_EQ(read_text(file()), before);
}

TEST_F(StudyEditTest, ABrokenFileIsNeverWrittenOver) {
    write_plainly(file(), "{ \"schema\": ");
    EXPECT_THROW(remove_figure(dir_.path(), "loss"), UserError);
    EXPECT_EQ(read_text(file()), "{ \"schema\": ");
}

TEST_F(StudyEditTest, FiguresAreAddedReplacedAndRemoved) {
    put_figure(dir_.path(),
               {"maps", "attention", {"skipv1-s1"}, {{"layer", "1"}, {"atlas", "true"}}});
    const json entry = load_json(file()).at("figures").at(1);
    EXPECT_EQ(entry.at("options"), json({{"atlas", true}, {"layer", 1}}));
    EXPECT_EQ(entry.at("runs"), json({"skipv1-s1"}));
    put_figure(dir_.path(), {"curves", "loss", {}, {{"x", "tokens"}}, true}, "loss");
    ASSERT_EQ(study().figures.size(), 2u);
    EXPECT_EQ(study().figures[0].name, "curves");
    EXPECT_TRUE(study().figures[0].all_runs);
    EXPECT_THAT(
        [&] {
            put_figure(dir_.path(), {"maps", "loss", {}, {}, true});
        },
        ThrowsMessage<UserError>(HasSubstr("two figures are called")));
    remove_figure(dir_.path(), "curves");
    remove_figure(dir_.path(), "maps");
    EXPECT_THAT(study().figures, IsEmpty());
}

TEST_F(StudyEditTest, AFigureMovesAmongTheOthers) {
    for (const char* name : {"a", "b", "c"}) put_figure(dir_.path(), {name, "loss", {}, {}, true});
    const auto names = [&] {
        std::string all;
        for (const StudyFigure& figure : study().figures) all += figure.name + " ";
        return all;
    };
    move_figure(dir_.path(), "c", 1);
    EXPECT_EQ(names(), "loss c a b ");
    move_figure(dir_.path(), "loss", 2);
    EXPECT_EQ(names(), "c a loss b ");
    move_figure(dir_.path(), "a", 99);
    EXPECT_EQ(names(), "c loss b a ");
    move_figure(dir_.path(), "nobody", 0);
    EXPECT_EQ(names(), "c loss b a ");
}

TEST_F(StudyEditTest, APageFollowsItsPanels) {
    put_figure(dir_.path(), {"mean", "loss", {"baseline-s1"}, {}}, "");
    put_figure(dir_.path(), {"both", "panels", {}, {{"columns", "2"}}, false, {"loss", "mean"}},
               "");
    EXPECT_FALSE(load_json(file()).at("figures").at(2).contains("runs"));
    put_figure(dir_.path(), {"curves", "loss", {}, {}, true}, "loss");
    EXPECT_THAT(study().figures.at(2).panels, ElementsAre("curves", "mean"));
    EXPECT_THAT([&] { remove_figure(dir_.path(), "mean"); },
                ThrowsMessage<UserError>(HasSubstr("the figure mean is a panel of both")));
    remove_runs(dir_.path(), {"baseline-s1"});  // with it goes "mean", and so the page
    ASSERT_EQ(study().figures.size(), 1u);
    EXPECT_EQ(study().figures[0].name, "curves");
}

TEST_F(StudyEditTest, AFolderWithoutTheFileGetsOneWithItsRuns) {
    std::filesystem::remove(file());
    const Job old = parse_job({{"seed", 4}, {"train", {{"steps", 7}}}}, "");
    write_job(create_run_folder(dir_.path() / "runs/old-s4"), to_json(old).dump());
    put_figure(dir_.path(), {"loss", "loss", {}, {}, true});
    ASSERT_THAT(ids(), ElementsAre("old-s4"));
    EXPECT_EQ(study().runs[0].job.train, old.train);
    EXPECT_EQ(study().runs[0].job.seed, 4);
}

TEST_F(StudyEditTest, AVocabularyThatTheDataGaveMakesNoOtherVariant) {
    Job begun = parse_job({{"seed", 1}}, "");
    begun.model.vocab_size = 256;
    const Job waiting = parse_job({{"seed", 2}}, "");
    add_runs(dir_.path(), {{"a-s1", "a", begun}, {"a-s2", "a", waiting}});
    EXPECT_EQ(load_json(file()).at("runs").back().at("seeds"), json({1, 2}));
}

TEST_F(StudyEditTest, AFigureBringsItsRunsAlong) {
    Job other = job(R"({"train": {"lr": 3e-4}})");
    other.seed = 9;
    other.name = "warm";
    write_job(create_run_folder(dir_.path() / "runs/warm"), to_json(other).dump());
    put_figure(dir_.path(), {"both", "loss", {"baseline-s1", "warm"}, {}});
    const json entry = load_json(file()).at("runs").at(2);
    EXPECT_EQ(entry, json({{"id", "warm"}, {"seed", 9}, {"job", {{"train", {{"lr", 3e-4}}}}}}));
    EXPECT_THAT(study().figures.back().runs, ElementsAre("baseline-s1", "warm"));
}

TEST_F(StudyEditTest, AFigureNamesAnImportedRunThatTheStudyCannotList) {
    const char* imported =
        R"({"name": "theirs", "imported_from": {"tool": "CSV", "run": "theirs"}})";
    write_job(create_run_folder(dir_.path() / "runs/theirs"), imported);
    put_figure(dir_.path(), {"curves", "loss", {"theirs", "baseline-s1"}, {}});
    EXPECT_THAT(study().figures.back().runs, ElementsAre("theirs", "baseline-s1"));
    EXPECT_EQ(load_json(file()).at("runs").size(), 2u);
    EXPECT_THAT(
        [&] {
            put_figure(dir_.path(), {"more", "loss", {"nobody"}, {}});
        },
        ThrowsMessage<UserError>(HasSubstr("names the run \"nobody\", which the study has not")));
    remove_runs(dir_.path(), {"theirs"});
    EXPECT_THAT(study().figures.back().runs, ElementsAre("baseline-s1"));
}

TEST_F(StudyEditTest, RemovedRunsLeaveFiguresAndAreNotPlannedAgain) {
    put_figure(dir_.path(), {"two", "loss", {"baseline-s1", "skipv1-s1"}, {}});
    put_figure(dir_.path(), {"one", "loss", {"skipv1-s1"}, {}});
    remove_runs(dir_.path(), {"skipv1-s1", "nobody"});
    EXPECT_THAT(ids(), ElementsAre("baseline-s1", "skipv1-s2", "baseline-s2"));
    ASSERT_EQ(study().figures.size(), 2u);
    EXPECT_THAT(study().figures[1].runs, ElementsAre("baseline-s1"));
    remove_runs(dir_.path(), {"baseline-s1", "skipv1-s2", "baseline-s2"});
    EXPECT_THAT(ids(), IsEmpty());
    add_runs(dir_.path(), {seeded("baseline", 4, job("{}"))});
    EXPECT_THAT(ids(), ElementsAre("baseline-s4"));
}

TEST_F(StudyEditTest, ARunOfItsOwnNameKeepsIt) {
    Job named = job(R"({"train": {"steps": 9}})");
    named.name = "My run";
    add_runs(dir_.path(), {{"my-run-s1-2", "my-run", named}});
    EXPECT_EQ(study().runs[2].id, "my-run-s1-2");
    EXPECT_EQ(study().runs[2].job.name, "My run");
}

TEST_F(StudyEditTest, WritersTakeTurns) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
            put_figure(dir_.path(), {"f" + std::to_string(i), "loss", {}, {}, true});
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(study().figures.size(), 9u);
}

TEST(JobChanges, FollowTheDefaultsThatAnArchitectureBrings) {
    const json common = {{"model", {{"preset", "tiny"}}}};
    for (const char* arch : {"mla", "wq_identity", "skipv1", "resformer", "denseformer"}) {
        const Job wanted = parse_job({{"model", {{"preset", "tiny"}, {"arch", arch}}}}, "");
        EXPECT_EQ(job_changes(common, wanted, "/tmp"), json({{"model", {{"arch", arch}}}})) << arch;
    }
    EXPECT_THAT(job_changes(common, parse_job(common, ""), "/tmp"), IsEmpty());
}

TEST_F(StudyEditTest, SaysWhatItReadAndWroteAsRunsGo) {
    const StudyTexts change = remove_runs(dir_.path(), {"skipv1-s2"});
    EXPECT_EQ(change.before, kStudy);
    EXPECT_EQ(change.after, read_text(file()));
    const StudyTexts none = remove_runs(dir_.path(), {"nobody"});
    EXPECT_EQ(none.before, change.after);
    EXPECT_EQ(none.after, change.after);
    std::filesystem::remove(file());
    EXPECT_EQ(remove_runs(dir_.path(), {"baseline-s1"}).before, "");
    EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace headroom
