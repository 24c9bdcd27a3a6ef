#include "core/study/trash.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study_edit_figures.h"
#include "core/study/study_labels.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr char kStudyOfTwo[] = R"({
  "schema": "headroom-study/1",   "name": "as typed",
  "seeds": [1, 2],
  "runs": [ {"id": "skipv1", "job": {"model": {"arch": "skipv1"}}}, {"id": "baseline"} ],
  "job": {"model": {"preset": "tiny"}, "train": {"steps": 300}},
  "figures": [{"name": "one", "recipe": "loss", "runs": ["skipv1-s1"]},
              {"name": "two", "recipe": "loss", "runs": ["baseline-s1", "skipv1-s1"]}]
}
)";

class TrashTest : public testing::Test {
  protected:
    TrashTest() {
        write_plainly(file(), kStudyOfTwo);
        for (const StudyRun& run : load_study(file()).runs)
            if (run.id != "baseline-s2") make_run(run.id);
    }
    void make_run(const std::string& id) {
        const RunFolder run = create_run_folder(dir_ / "runs" / id);
        write_job(run, to_json(parse_job({{"name", id}}, "")).dump());
        write_plainly(run.checkpoints() / "big", std::string(1000, 'x'));
    }
    fs::path file() const { return dir_.path() / "study.json"; }
    std::vector<std::string> planned() const {
        std::vector<std::string> ids;
        for (const StudyRun& run : load_study(file()).runs) ids.push_back(run.id);
        return ids;
    }
    std::vector<std::string> figures() const {
        std::vector<std::string> names;
        for (const StudyFigure& figure : load_study(file()).figures) names.push_back(figure.name);
        return names;
    }
    bool has_run(const std::string& id) const {
        return fs::exists(dir_ / "runs" / id / "job.json");
    }

    TemporaryFolder dir_;
};

TEST_F(TrashTest, WhatIsRemovedComesBackToTheLastByte) {
    const std::string name = trash_runs(dir_.path(), {"skipv1-s1", "baseline-s2", "nobody"});
    EXPECT_FALSE(has_run("skipv1-s1"));
    EXPECT_TRUE(has_run("skipv1-s2"));
    EXPECT_THAT(list_runs(dir_.path()), SizeIs(2));
    EXPECT_THAT(planned(), ElementsAre("baseline-s1", "skipv1-s2"));
    EXPECT_THAT(figures(), ElementsAre("two"));
    const std::vector<TrashEntry> trash = list_trash(dir_.path());
    ASSERT_THAT(trash, SizeIs(1));
    EXPECT_EQ(trash[0].name, name);
    EXPECT_THAT(trash[0].runs, ElementsAre("baseline-s2", "skipv1-s1"));
    EXPECT_GT(trash[0].bytes, 1000u);

    restore_trash(dir_.path(), name);
    EXPECT_EQ(read_text(file()), kStudyOfTwo);
    EXPECT_TRUE(fs::exists(dir_ / "runs/skipv1-s1/checkpoints/big"));
    EXPECT_THAT(list_trash(dir_.path()), IsEmpty());
}

// The name of a removed run was that of the next one called so, and of all seeds beside it.
TEST_F(TrashTest, LabelsGoWithTheirRuns) {
    change_labels(dir_.path(), [](StudyLabels& labels) {
        labels.runs["skipv1-s1"].name = "too hot";
        labels.runs["skipv1-s2"].note = "keep";
        labels.runs["baseline-s2"].tags = {"planned"};
    });
    const StudyLabels before = read_labels(dir_.path());
    const std::string name = trash_runs(dir_.path(), {"skipv1-s1", "baseline-s2"});
    EXPECT_THAT(read_labels(dir_.path()).runs, SizeIs(1));
    EXPECT_THAT(ids_in_trash(dir_.path()), ElementsAre("skipv1-s1"));
    restore_trash(dir_.path(), name);
    EXPECT_EQ(read_labels(dir_.path()), before);
    EXPECT_THAT(ids_in_trash(dir_.path()), IsEmpty());

    const std::string again = trash_runs(dir_.path(), {"skipv1-s1"});
    change_labels(dir_.path(), [](StudyLabels& labels) { labels.runs["skipv1-s1"].name = "new"; });
    restore_trash(dir_.path(), again);
    EXPECT_EQ(read_labels(dir_.path()).runs["skipv1-s1"].name, "new") << "given since";

    change_labels(dir_.path(), [](StudyLabels& labels) { labels.runs["skipv1-s1"].color = 3; });
    const std::string coloured = trash_runs(dir_.path(), {"skipv1-s1"});
    change_labels(dir_.path(), [](StudyLabels& labels) { labels.runs["skipv1-s1"].color = 5; });
    restore_trash(dir_.path(), coloured);
    EXPECT_EQ(read_labels(dir_.path()).runs["skipv1-s1"].name, "new") << "a colour is no word";

    const std::string labelled = trash_runs(dir_.path(), {"skipv1-s2"});
    write_plainly(dir_ / "labels.json", "{broken");
    EXPECT_THROW(restore_trash(dir_.path(), labelled), UserError);
    EXPECT_FALSE(has_run("skipv1-s2")) << "nothing is half restored";
    EXPECT_NE(trash_runs(dir_.path(), {"skipv1-s1"}), "");
    EXPECT_EQ(read_text(dir_ / "labels.json"), "{broken");
}

TEST_F(TrashTest, AStudyThatWasChangedSinceKeepsTheChange) {
    const std::string name = trash_runs(dir_.path(), {"skipv1-s1"});
    put_figure(dir_.path(), {"new", "loss", {"baseline-s1"}, {}});
    restore_trash(dir_.path(), name);
    EXPECT_THAT(figures(), ElementsAre("one", "two", "new"));
    EXPECT_THAT(load_study(file()).figures[1].runs, ElementsAre("baseline-s1", "skipv1-s1"));
    EXPECT_THAT(planned(), testing::UnorderedElementsAre("skipv1-s1", "skipv1-s2", "baseline-s1",
                                                         "baseline-s2"));
}

TEST_F(TrashTest, WhatAnotherProgramAddsMeanwhileIsKept) {
    constexpr int kFigures = 30;
    std::thread other([&] {
        for (int i = 0; i < kFigures; ++i)
            put_figure(dir_.path(), {"new" + std::to_string(i), "loss", {"baseline-s1"}, {}});
    });
    for (int i = 0; i < kFigures / 3; ++i)
        restore_trash(dir_.path(), trash_runs(dir_.path(), {"skipv1-s1"}));
    other.join();
    EXPECT_THAT(figures(), SizeIs(2 + kFigures));
}

TEST_F(TrashTest, ARunIsASeedOfItsVariantAgainThoughThatHasAnotherJobByNow) {
    const std::string name = trash_runs(dir_.path(), {"skipv1-s1"});
    std::string text = read_text(file());
    const std::string steps = "\"steps\": 300";
    text.replace(text.find(steps), steps.size(), "\"steps\": 400");
    write_plainly(file(), text);
    restore_trash(dir_.path(), name);
    const Study study = load_study(file());
    EXPECT_THAT(study.runs, SizeIs(4));
    for (const StudyRun& run : study.runs) {
        EXPECT_EQ(run.job.train.steps, 400) << run.id;
        EXPECT_EQ(run.id, run.variant + "-s" + std::to_string(run.job.seed));
        EXPECT_EQ(run.job.name, run.id);
    }
}

TEST_F(TrashTest, ARunThatIsWorkedOnStaysAndSoDoTheOthers) {
    write_worker_info(dir_ / "runs/skipv1-s2");
    EXPECT_THAT(
        [&] {
            trash_runs(dir_.path(), {"baseline-s1", "skipv1-s2"});
        },
        ThrowsMessage<UserError>(HasSubstr("stop it")));
    EXPECT_TRUE(has_run("baseline-s1"));
    EXPECT_EQ(read_text(file()), kStudyOfTwo);
    EXPECT_THAT(list_trash(dir_.path()), IsEmpty());
}

TEST_F(TrashTest, ARunOfTheSameIdIsNotWrittenOver) {
    const std::string name = trash_runs(dir_.path(), {"baseline-s1"});
    make_run("baseline-s1");
    EXPECT_THAT([&] { restore_trash(dir_.path(), name); },
                ThrowsMessage<UserError>(HasSubstr("another run baseline-s1")));
    EXPECT_THAT(list_trash(dir_.path()), SizeIs(1));
}

TEST_F(TrashTest, WhereOneRunCannotBeMovedTheOthersGoBack) {
    const std::string name = trash_runs(dir_.path(), {"baseline-s1", "skipv1-s1"});
    const std::string after = read_text(file());
    fs::create_symlink(dir_ / "nowhere", dir_ / "runs/skipv1-s1");  // in the way, unseen
    EXPECT_THROW(restore_trash(dir_.path(), name), EnvironmentError);
    EXPECT_FALSE(has_run("baseline-s1"));
    EXPECT_EQ(read_text(file()), after);
    ASSERT_THAT(list_trash(dir_.path()), SizeIs(1));
    EXPECT_GT(list_trash(dir_.path())[0].bytes, 2000u) << "both runs lie in it";

    fs::remove(dir_ / "runs/skipv1-s1");
    restore_trash(dir_.path(), name);
    EXPECT_TRUE(has_run("baseline-s1"));
    EXPECT_TRUE(has_run("skipv1-s1"));
}

TEST_F(TrashTest, AFolderWithoutAPlanHasATrashToo) {
    fs::remove(file());
    const std::string first = trash_runs(dir_.path(), {"skipv1-s1"});
    const std::string second = trash_runs(dir_.path(), {"skipv1-s2"});
    EXPECT_NE(first, second);
    delete_trash(dir_.path(), first);
    restore_trash(dir_.path(), second);
    EXPECT_FALSE(has_run("skipv1-s1"));
    EXPECT_TRUE(has_run("skipv1-s2"));
    EXPECT_EQ(trash_runs(dir_.path(), {"nobody"}), "");
    EXPECT_THROW(restore_trash(dir_.path(), "../runs"), UserError);
    EXPECT_THROW(delete_trash(dir_.path(), first), UserError);
}

// It was passed over in silence: study remove said that it had been removed.
TEST_F(TrashTest, ARunWhoseNameNoRunMayHaveIsRefusedAndSoAreTheOthers) {
    make_run("-dash");
    for (const char* id : {"-dash", "../runs", ""})
        EXPECT_THAT(
            [&] {
                trash_runs(dir_.path(), {"baseline-s1", id});
            },
            ThrowsMessage<UserError>(HasSubstr("no name that the trash can hold")));
    EXPECT_TRUE(has_run("-dash"));
    EXPECT_TRUE(has_run("baseline-s1"));
    EXPECT_EQ(read_text(file()), kStudyOfTwo);
}

TEST_F(TrashTest, AnImportedRunTakesItsFigureAlongAndBringsItBack) {
    write_job(create_run_folder(dir_ / "runs" / "theirs"),
              R"({"name": "theirs", "imported_from": {"tool": "CSV", "run": "theirs"}})");
    put_figure(dir_.path(), {"three", "loss", {"theirs"}, {}});
    const std::string name = trash_runs(dir_.path(), {"theirs", "baseline-s2"});
    EXPECT_THAT(figures(), ElementsAre("one", "two"));
    EXPECT_THAT(list_trash(dir_.path()).front().runs, ElementsAre("baseline-s2", "theirs"));
    put_figure(dir_.path(), {"four", "loss", {"skipv1-s1"}, {}});
    restore_trash(dir_.path(), name);
    EXPECT_THAT(figures(), ElementsAre("one", "two", "three", "four"));
}

TEST_F(TrashTest, ALinkOutOfTheStudyIsNotFollowed) {
    const TemporaryFolder elsewhere;
    fs::create_directory_symlink(elsewhere.path(), dir_ / ".trash");
    EXPECT_THROW(trash_runs(dir_.path(), {"baseline-s1"}), UserError);
    EXPECT_TRUE(has_run("baseline-s1"));
    EXPECT_TRUE(fs::is_empty(elsewhere.path()));
}

}  // namespace
}  // namespace headroom
