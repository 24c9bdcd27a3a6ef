#include "app/study/study_expand.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/study/plan_follower.h"
#include "app/study/study_figures.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_job.h"
#include "core/study/study_labels.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class StudyExpandTest : public testing::Test {
  protected:
    Study study(int steps, int decay_steps = 0) {
        nlohmann::json document = {
            {"schema", "headroom-study/1"},
            {"name", "test"},
            {"job",
             {{"data", {{"train", "text:book.txt"}}},
              {"model", {{"preset", "demo"}}},
              {"train",
               {{"steps", steps},
                {"decay_steps", decay_steps},
                {"seq_len", 32},
                {"warmup_steps", 1}}}}},
            {"runs", {{{"id", "second"}}, {{"id", "first"}}}},
            {"figures",
             {{{"name", "curves"},
               {"recipe", "loss"},
               {"options", {{"x", "tokens"}, {"logx", true}, {"logy", false}}}}}}};
        write_file_atomically(folder_ / "study.json", document.dump());
        return load_study(folder_ / "study.json");
    }
    int expand(int steps, int decay_steps = 0) {
        return expand_study(study(steps, decay_steps), folder_.path(),
                            [this](const std::string& line) { said_.push_back(line); });
    }
    Job job(const std::string& id) const {
        return load_run_job(RunFolder{folder_.path() / "runs" / id});
    }
    void begin(const std::string& id) const {
        std::ofstream(folder_.path() / "runs" / id / "log.h5") << "begun";
    }

    TemporaryFolder folder_;
    std::vector<std::string> said_;
};

TEST_F(StudyExpandTest, WritesAJobForEveryRunWithPathsFromTheStudysFolder) {
    EXPECT_EQ(expand(100), 2);
    EXPECT_EQ(job("first").train.steps, 100);
    EXPECT_EQ(job("first").data.train, "text:" + (folder_ / "book.txt").string());
}

TEST_F(StudyExpandTest, InitialWeightsAreLookedForFromTheStudysFolder) {
    Study planned = study(100);
    planned.runs[0].job.train.init_from = "runs/second/checkpoints/step-00000100.safetensors";
    expand_study(planned, folder_.path(), [](const std::string&) {});
    const std::string id = planned.runs[0].id;
    EXPECT_EQ(job(id).train.init_from,
              (folder_ / "runs/second/checkpoints/step-00000100.safetensors").string());
    EXPECT_EQ(job(planned.runs[1].id).train.init_from, "random");
}

TEST_F(StudyExpandTest, AStudyThatIsMovedFindsItsOwnFilesAndHasNotChanged) {
    write_file_atomically(folder_ / "book.txt", "words");
    Study planned = study(100);
    planned.runs[0].job.train.init_from = "runs/first/checkpoints/step-00000100.safetensors";
    planned.runs[0].job.data.val = "text:/elsewhere/other.txt";
    expand_study(planned, folder_.path(), [](const std::string&) {});
    begin("second");

    const TemporaryFolder moved;
    std::filesystem::copy(folder_.path(), moved.path(), std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(folder_.path() / "runs");
    std::filesystem::remove(folder_.path() / "book.txt");
    const Job job = load_run_job(RunFolder{moved.path() / "runs" / "second"});
    EXPECT_EQ(job.data.train, "text:" + (moved / "book.txt").string());
    EXPECT_EQ(job.data.val, "text:/elsewhere/other.txt");
    EXPECT_EQ(job.train.init_from,
              (moved / "runs/first/checkpoints/step-00000100.safetensors").string());
    EXPECT_EQ(expand_study(planned, moved.path(),
                           [this](const std::string& line) { said_.push_back(line); }),
              1)
        << "the one that has not begun";
    EXPECT_THAT(said_, ElementsAre()) << "moving it is no change";
}

TEST_F(StudyExpandTest, TheRunOfALoneSeedBecomesOneOfSeveral) {
    expand(100);
    begin("first");
    change_labels(folder_.path(), [](StudyLabels& labels) { labels.runs["first"].note = "mine"; });
    nlohmann::json document = load_json(folder_ / "study.json");
    document["seeds"] = {1, 2};
    const Study more = parse_study(document, "study.json");
    const auto say = [this](const std::string& line) { said_.push_back(line); };
    EXPECT_EQ(expand_study(more, folder_.path(), say), 3) << "but for first-s1, which has begun";
    EXPECT_THAT(said_, UnorderedElementsAre("first is first-s1 by now, beside further seeds",
                                            "second is second-s1 by now, beside further seeds"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/first-s1/log.h5"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "runs/first"));
    EXPECT_EQ(read_labels(folder_.path()).runs.at("first-s1").note, "mine");
    EXPECT_EQ(expand_study(more, folder_.path(), say), 3);
    EXPECT_EQ(said_.size(), 2u);
    EXPECT_EQ(list_runs(folder_.path()).size(), 4u) << "none is trained that nobody planned";
}

TEST_F(StudyExpandTest, AnImportedRunOfAVariantsNameIsNoSeedOfIt) {
    expand(100);
    write_job({folder_.path() / "runs/first"},
              R"({"name": "x", "imported_from": {"tool": "csv"}})");
    nlohmann::json document = load_json(folder_ / "study.json");
    document["seeds"] = {1, 2};
    EXPECT_EQ(expand_study(parse_study(document, "study.json"), folder_.path(),
                           [](const std::string&) {}),
              4);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/first/job.json"));
}

TEST_F(StudyExpandTest, ARunThatOthersStartFromKeepsItsName) {
    expand(100);
    begin("first");
    Job other = job("second");
    other.train.init_from = (folder_ / "runs/first/checkpoints/step-00000100.safetensors").string();
    write_job({folder_.path() / "runs/second"}, other);
    begin("second");  // and somebody will resume it
    nlohmann::json document = load_json(folder_ / "study.json");
    document["seeds"] = {1, 2};
    const Study more = parse_study(document, "study.json");
    const auto quiet = [](const std::string&) {};
    expand_study(more, folder_.path(), quiet);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/first/log.h5"));
    std::filesystem::remove(folder_ / "runs/second/log.h5");
    std::filesystem::remove_all(folder_ / "runs/first-s1");
    expand_study(more, folder_.path(), quiet);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/first-s1/log.h5"));
    EXPECT_EQ(job("second").train.init_from,
              (folder_ / "runs/first-s1/checkpoints/step-00000100.safetensors").string());
}

TEST_F(StudyExpandTest, AllRunsOfAFigureAreAlsoThoseOfTheFolderAlone) {
    expand(100);
    write_job(create_run_folder(folder_ / "runs/by-hand"), "{}");
    write_job(create_run_folder(folder_ / "runs/other-tool"),
              R"({"name": "x", "imported_from": {"tool": "csv"}})");
    for (const char* id : {"first", "by-hand", "other-tool"}) begin(id);
    const auto runs = [&](const std::string& recipe, bool all) {
        std::vector<std::string> names;
        for (const std::string& word :
             recipe_arguments({"f", recipe, {"first"}, {}, all}, folder_.path()))
            names.push_back(std::filesystem::path(word).filename().string());
        return names;
    };
    EXPECT_THAT(runs("loss", true), ElementsAre("loss", "first", "by-hand", "other-tool"));
    EXPECT_THAT(runs("pareto", true), ElementsAre("pareto", "first", "by-hand"));
    EXPECT_THAT(runs("loss", false), ElementsAre("loss", "first"));
}

TEST_F(StudyExpandTest, ACheckpointToComeIsNotTakenFromAnotherStudy) {
    const std::string file = "runs/first/checkpoints/step-00000100.safetensors";
    const TemporaryFolder other;
    std::filesystem::create_directories((other / file).parent_path());
    write_file_atomically(other / file, "of another study");
    Study planned = study(100);
    planned.runs[0].job.train.init_from = file;
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(other.path());
    expand_study(planned, folder_.path(), [](const std::string&) {});
    std::filesystem::current_path(here);
    EXPECT_EQ(job("second").train.init_from, (folder_ / file).string());
}

TEST_F(StudyExpandTest, ARunThatHasBegunKeepsItsJobAndThatIsSaid) {
    expand(100);
    begin("first");
    EXPECT_EQ(expand(200), 1);
    EXPECT_EQ(job("first").train.steps, 100);
    EXPECT_EQ(job("second").train.steps, 200);
    EXPECT_THAT(note_of_changed_runs(folder_.path()),
                HasSubstr("study.json has changed since first began: "));
    study(100);
    EXPECT_EQ(note_of_changed_runs(folder_.path()), "");
    EXPECT_THAT(said_, ElementsAre(AllOf(
                           HasSubstr("first: study.json has train.steps = 200, and it began with "
                                     "100"),
                           HasSubstr("; it keeps its job"))));
}

TEST_F(StudyExpandTest, ARunThatWaitsAndThatThePlanHasNoMoreIsNamed) {
    expand(100);
    begin("first");
    EXPECT_THAT(said_, testing::IsEmpty());
    Study other = study(100);
    other.runs.clear();
    expand_study(other, folder_.path(), [this](const std::string& line) { said_.push_back(line); });
    EXPECT_THAT(said_, ElementsAre(HasSubstr("second: study.json has no such run; it is trained")));
}

TEST_F(StudyExpandTest, APlanIsFollowedAsItIsWritten) {
    study(100);
    PlanFollower plan(folder_.path(), [this](const std::string& line) { said_.push_back(line); });
    plan.update();
    EXPECT_EQ(job("first").train.steps, 100);
    study(200);
    plan.update();
    EXPECT_EQ(job("first").train.steps, 200);
    write_file_atomically(folder_ / "study.json", "{ half a plan");
    plan.update();
    plan.update();
    EXPECT_EQ(job("first").train.steps, 200);
    EXPECT_THAT(said_, ElementsAre(HasSubstr("goes on as it was planned: "))) << "once";
    PlanFollower other(folder_.path(), [](const std::string&) {});
    EXPECT_THROW(other.update(), UserError) << "nothing is planned yet";
}

// The queue ended, and left its worker to itself.
TEST_F(StudyExpandTest, AFolderThatCannotBeMadeDoesNotEndTheQueue) {
    PlanFollower plan(folder_.path(), [this](const std::string& line) { said_.push_back(line); });
    study(100);
    plan.update();
    write_file_atomically(folder_ / "runs/third", "no folder");
    const std::string text = read_text(folder_ / "study.json");
    nlohmann::json document = nlohmann::json::parse(text);
    document["runs"].push_back({{"id", "third"}});
    write_file_atomically(folder_ / "study.json", document.dump());
    EXPECT_NO_THROW(plan.update());
    EXPECT_THAT(said_, ElementsAre(HasSubstr("goes on as it was planned: ")));
}

TEST_F(StudyExpandTest, AJobThatWasTakenAwayIsWrittenAgainFromTheLog) {
    expand(100);
    const auto run = folder_.path() / "runs" / "first";
    const std::string before = read_text(run / "job.json");
    RunLogWriter::create(run / "log.h5",
                         {before, "headroom", "here", "cpu", "2026-01-01T00:00:00Z"})
        .close();
    std::filesystem::remove(run / "job.json");
    EXPECT_EQ(expand(100), 1) << "the second";
    EXPECT_EQ(read_text(run / "job.json"), before);
    EXPECT_THAT(said_, ElementsAre(HasSubstr("first: had no job.json")));
}

TEST_F(StudyExpandTest, SoIsThatOfARunThatNobodyPlanned) {
    expand(100);
    const auto added = folder_.path() / "runs" / "added",
               broken = folder_.path() / "runs" / "broken";
    const std::string text = read_text(folder_.path() / "runs" / "first" / "job.json");
    for (const auto& [run, job] : {std::pair(added, text), std::pair(broken, std::string("{"))}) {
        std::filesystem::create_directories(run);
        RunLogWriter::create(run / "log.h5",
                             {job, "headroom", "here", "cpu", "2026-01-01T00:00:00Z"})
            .close();
    }
    said_.clear();
    restore_jobs(folder_.path(), [this](const std::string& line) { said_.push_back(line); });
    EXPECT_EQ(read_text(added / "job.json"), text);
    EXPECT_FALSE(std::filesystem::exists(broken / "job.json"));
    EXPECT_THAT(said_, ElementsAre(HasSubstr("added: had no job.json"),
                                   HasSubstr("broken: has no job.json, and its log cannot tell")));
}

TEST_F(StudyExpandTest, ARunGoesOnWhereMoreStepsOfItsScheduleAreAskedFor) {
    expand(100, 400);
    begin("first");
    begin("second");
    EXPECT_EQ(expand(200, 400), 2);
    EXPECT_EQ(job("first").train.steps, 200);
    EXPECT_EQ(expand(400, 0), 2) << "which is the same schedule";
    EXPECT_EQ(job("first").train.steps, 400);
    EXPECT_THAT(said_, testing::IsEmpty());
    EXPECT_EQ(expand(800, 0), 0) << "a longer one is another";
    EXPECT_EQ(expand(300, 400), 0) << "what was done stays done";
    EXPECT_EQ(job("first").train.steps, 400);
    EXPECT_EQ(said_.size(), 4u);
}

TEST_F(StudyExpandTest, AVocabularyThatTheDataGaveIsNoChange) {
    expand(100);
    Job begun = job("first");
    begun.model.vocab_size = 256;
    write_job({folder_.path() / "runs/first"}, to_json(begun).dump());
    begin("first");
    expand(100);
    EXPECT_THAT(said_, ElementsAre());
}

TEST_F(StudyExpandTest, RunsStandInTheOrderOfTheStudyAndOthersFollow) {
    expand(100);
    write_job(create_run_folder(folder_ / "runs/by-hand"), "{}");
    std::vector<std::string> names;
    for (const RunFolder& run : list_runs_in_order(folder_.path(), run_order(folder_.path())))
        names.push_back(run.root.filename().string());
    EXPECT_THAT(names, ElementsAre("second", "first", "by-hand"));
}

TEST_F(StudyExpandTest, RunsOfHigherPriorityComeFirst) {
    study(100);
    nlohmann::json document = load_json(folder_ / "study.json");
    document["runs"] = nlohmann::json::parse(
        R"([{"id": "a"}, {"id": "b", "priority": 2}, {"id": "c", "priority": -1}, {"id": "d"}])");
    write_file_atomically(folder_ / "study.json", document.dump());
    EXPECT_THAT(run_order(folder_.path()), ElementsAre("b", "a", "d", "c"));
}

TEST_F(StudyExpandTest, FiguresAreAskedForFromTheRunsThatHaveBegun) {
    const Study planned = study(100);
    expand(100);
    EXPECT_THAT(figure_arguments(planned.figures[0], folder_.path()), ElementsAre());
    begin("second");
    const auto figure = [&](const char* ending) {
        return (folder_.path() / "figures" / ("curves." + std::string(ending))).string();
    };
    EXPECT_THAT(figure_arguments(planned.figures[0], folder_.path()),
                ElementsAre("figure", "loss", (folder_ / "runs/second").string(), "--logx",
                            "--x=tokens", "--out", figure("pdf"), "--out", figure("svg"), "--out",
                            figure("png"), "--out", figure("csv")));
    StudyFigure untitled = planned.figures[0];  // an empty option would take the next for its value
    untitled.options["title"] = "";
    untitled.options["logy"] = "false";
    EXPECT_EQ(recipe_arguments(untitled, folder_.path()),
              recipe_arguments(planned.figures[0], folder_.path()));
}

}  // namespace
}  // namespace headroom
