#include "panels/study/study_reader.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/config/job_json.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_labels.h"
#include "panels/study/run_arguments.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string job_text(const std::string& name, int seed = 1, double lr = 1e-3) {
    return fmt::format(
        R"({{"name": "{}", "seed": {}, "model": {{"preset": "tiny"}}, "train": {{"lr": {}}}}})",
        name, seed, lr);
}

/// A folder with runs that a test makes.
struct TestStudy {
    TemporaryFolder folder;

    RunFolder add(const std::string& id, const std::string& job) const {
        const RunFolder run = create_run_folder(folder / "runs" / id);
        write_job(run, job);
        return run;
    }
    RunLogWriter start_log(const std::string& id, int seed = 1, double lr = 1e-3) const {
        const std::string job = job_text(id, seed, lr);
        const RunFolder run = add(id, job);
        return RunLogWriter::create(run.log(),
                                    {job, "headroom test", "host", "cpu", "2025-01-31T12:00:00Z"});
    }
    const std::filesystem::path& root() const { return folder.path(); }
};

void add_step(RunLogWriter& log, int64_t step, float loss) {
    log.append_train({.step = step, .tokens = step * 10, .loss = loss});
    log.sync();
}

TEST(StudyReader, FollowsALogWhileItGrows) {
    const TestStudy test;
    RunLogWriter log = test.start_log("base");
    add_step(log, 1, 4.0f);

    StudyReader reader(test.root());
    const StudyPointer first = reader.look_at_all();
    const RunPointer before = first->find("base");
    EXPECT_EQ(before->name, "base");
    EXPECT_EQ(before->series->train.loss, std::vector<float>{4.0f});
    EXPECT_EQ(before->status.step, 1);

    add_step(log, 2, 3.0f);
    const RunPointer after = reader.look()->find("base");
    EXPECT_EQ(after->series->train.step, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(after->status.step, 2);
    EXPECT_EQ(before->series->train.step.size(), 1u) << "a snapshot never changes";
    EXPECT_EQ(&before->series->train.step[0], &after->series->train.step[0]) << "rows are shared";
}

TEST(StudyReader, SaysNothingNewWithTheSamePointers) {
    const TestStudy test;
    {
        RunLogWriter one = test.start_log("one"), two = test.start_log("two", 1, 2e-3);
        add_step(one, 1, 4.0f);
        one.set_state(RunState::kFinished);
        two.set_state(RunState::kFinished);
        one.close();
        two.close();
    }
    StudyReader reader(test.root());
    const StudyPointer before = reader.look_at_all();
    reader.look();  // takes back the colours that the first look stored
    const StudyPointer settled = reader.look();
    EXPECT_EQ(reader.look(), settled) << "nothing changed";
    write_request(test.root() / "runs" / "two", ControlRequest::kRun);
    const StudyPointer after = reader.look();
    EXPECT_NE(after, settled);
    EXPECT_EQ(after->find("one"), settled->find("one")) << "that run did not change";
    EXPECT_NE(after->find("two"), settled->find("two"));
}

TEST(StudyReader, OneStudyOfAHundredRunsOpensEachLogOnce) {
    const TestStudy test;
    constexpr int kRuns = 100;
    for (int i = 0; i < kRuns; ++i) {
        RunLogWriter log = test.start_log(fmt::format("run-{:03}", i), 1, 1e-3 + i * 1e-5);
        add_step(log, 1, 4.0f);
        log.close();
    }
    // A log's generation counts the logs that this process has opened.
    const TestStudy other;
    const auto opened_so_far = [&](const std::string& id) {
        RunLogWriter log = other.start_log(id);
        add_step(log, 1, 1.0f);
        log.close();
        return read_run_log(other.root() / "runs" / id / "log.h5").generation;
    };
    const int64_t before = opened_so_far("before");
    StudyReader reader(test.root());
    const StudyPointer study = reader.look_at_all();
    for (int i = 0; i < 5; ++i) reader.look();
    const int64_t opened = opened_so_far("after") - before - 1;
    EXPECT_EQ(opened, kRuns);
    for (const RunPointer& run : study->runs) {
        EXPECT_EQ(run->series->train.loss.size(), 1u);
        EXPECT_EQ(run->status.step, 1);
    }
}

TEST(StudyReader, AQueuedRunIsEmptyAndKnowsItsName) {
    const TestStudy test;
    test.add("run-1", job_text("deep"));
    const RunPointer run = StudyReader(test.root()).look_at_all()->find("run-1");
    EXPECT_EQ(run->name, "deep");
    EXPECT_EQ(run->status.phase, RunPhase::kQueued);
    EXPECT_TRUE(run->series->train.step.empty());
    EXPECT_EQ(run->log_problem, "");
}

TEST(StudyReader, ADamagedLogIsAProblemOfItsRunAlone) {
    const TestStudy test;
    RunLogWriter log = test.start_log("good");
    add_step(log, 1, 4.0f);
    const RunFolder bad = test.add("bad", job_text("bad"));
    write_file_atomically(bad.log(), "this is not HDF5");
    const StudyPointer study = StudyReader(test.root()).look_at_all();
    EXPECT_THAT(study->find("bad")->log_problem, HasSubstr("log.h5"));
    EXPECT_EQ(study->find("good")->series->train.step.size(), 1u);
}

// A file that was just written is read again and again; what its log says must not be lost.
TEST(StudyReader, ARunWithABrokenJobStaysASeedOfItsVariant) {
    const TestStudy test;
    test.start_log("base-s1", 1).close();
    test.start_log("base-s2", 2).close();
    const auto job = test.root() / "runs" / "base-s2" / "job.json";
    StudyReader reader(test.root());
    for (const char* broken : {"{", "{", "{\"name\":"}) {
        write_plainly(job, broken);
        for (int look = 0; look < 3; ++look) {
            const StudyPointer study = reader.look_at_all();
            EXPECT_EQ(study->find("base-s2")->group, study->find("base-s1")->group);
            EXPECT_EQ(study->find("base-s2")->seed, 2);
            EXPECT_TRUE(study->find("base-s2")->job);
        }
    }
}

TEST(StudyReader, PlannedRunsOfTheStudyFileAreRunsThatHaveNotBegun) {
    const TestStudy test;
    write_file_atomically(test.root() / "study.json", R"({"schema": "headroom-study/1",
        "name": "plan", "job": {"model": {"preset": "tiny"}}, "seeds": [1, 2],
        "runs": [{"id": "base"}, {"id": "skip", "job": {"model": {"arch": "skipv1"}}}]})");
    const StudyPointer study = StudyReader(test.root()).look_at_all();
    EXPECT_EQ(study->name, "plan");
    ASSERT_EQ(study->runs.size(), 4u);
    EXPECT_TRUE(study->find("base-s1")->planned);
    EXPECT_EQ(study->find("base-s1")->group, study->find("base-s2")->group);
    EXPECT_EQ(study->find("base-s1")->color, 0) << "in the order of study.json";
    EXPECT_EQ(study->find("skip-s2")->color, 1);
}

TEST(StudyReader, RunsStandAsInStudyJsonAndOthersBehindByTheirNumbers) {
    const TestStudy test;
    write_plainly(test.root() / "study.json",
                  R"({"schema": "headroom-study/1", "name": "s", "seeds": [1, 2],
                      "job": {"model": {"preset": "tiny"}},
                      "runs": [{"id": "gpt2"}, {"id": "absorb"}]})");
    for (const char* id : {"extra-10", "extra-9", "absorb-s1", "gpt2-s2"})
        test.add(id, job_text(id));
    std::vector<std::string> ids;
    const StudyPointer study = StudyReader(test.root()).look_at_all();
    for (const RunPointer& run : study->runs) ids.push_back(run->id);
    EXPECT_THAT(ids, testing::ElementsAre("gpt2-s1", "gpt2-s2", "absorb-s1", "absorb-s2", "extra-9",
                                          "extra-10"));
}

TEST(StudyReader, ColoursStayWhenRunsAreAddedAndInTheNextSession) {
    const TestStudy test;
    test.add("m-middle", job_text("middle"));
    test.add("z-last", job_text("last", 1, 2e-3));
    const StudyPointer before = StudyReader(test.root()).look_at_all();
    test.add("a-first", job_text("first", 1, 3e-3));
    const StudyPointer after = StudyReader(test.root()).look_at_all();
    EXPECT_EQ(after->find("m-middle")->color, before->find("m-middle")->color);
    EXPECT_EQ(after->find("z-last")->color, before->find("z-last")->color);
    EXPECT_EQ(after->find("a-first")->color, 2);
    // A figure of some of them asks the study.
    test.start_log("m-middle").close();
    test.start_log("z-last", 1, 2e-3).close();
    EXPECT_EQ(read_runs({(test.root() / "runs" / "z-last").string()}).at(0)->color,
              before->find("z-last")->color);
}

// Else a figure of `headroom figure loss STUDY` has the variants by their names.
TEST(ReadRuns, OfAStudyAreInItsOrder) {
    const TestStudy test;
    write_plainly(test.root() / "study.json",
                  R"({"schema": "headroom-study/1", "name": "s",
                      "job": {"data": {"train": "task:grammar"}}, "seeds": [1, 2],
                      "runs": [{"id": "zero"}, {"id": "alpha", "job": {"train": {"lr": 1e-4}}}]})");
    for (const char* id : {"alpha-s1", "alpha-s2", "zero-s1", "zero-s2"})
        test.start_log(id).close();
    const auto ids = [](const std::vector<std::string>& arguments) {
        std::vector<std::string> names;
        for (const RunPointer& run : read_runs(arguments))
            names.push_back(run->folder.filename().string());
        return names;
    };
    EXPECT_EQ(ids({test.root().string()}),
              (std::vector<std::string>{"zero-s1", "zero-s2", "alpha-s1", "alpha-s2"}));
    EXPECT_EQ(ids({(test.root() / "runs" / "alpha-s2").string(), test.root().string()}),
              (std::vector<std::string>{"alpha-s2", "zero-s1", "zero-s2", "alpha-s1"}))
        << "what is named comes where it is named";
}

// Else a figure of two runs calls them otherwise than the window, and hides that seeds differ.
TEST(ReadRuns, OfAStudyAreCalledAsThere) {
    const TestStudy test;
    write_plainly(test.root() / "study.json",
                  R"({"schema": "headroom-study/1", "name": "s",
                      "job": {"model": {"preset": "tiny"}, "data": {"train": "task:grammar"}},
                      "runs": [{"id": "base-s1", "seed": 1, "job": {"name": "baseline"}},
                               {"id": "gpt2-s2", "seed": 2, "job": {"name": "gpt2"}},
                               {"id": "hot-s1", "seed": 1,
                                "job": {"name": "hot", "train": {"lr": 2e-3}}},
                               {"id": "warm-s2", "seed": 2,
                                "job": {"name": "warm", "train": {"lr": 2e-3}}}]})");
    const Study plan = load_study(test.root() / "study.json");
    for (const StudyRun& run : plan.runs) {
        const std::string job = to_json(run.job).dump();
        RunLogWriter::create(test.add(run.id, job).log(),
                             {job, "headroom test", "host", "cpu", "2025-01-31T12:00:00Z"})
            .close();
    }
    const StudyPointer study = StudyReader(test.root()).look_at_all();
    ASSERT_EQ(study->find("warm-s2")->name, "hot, seed 2");
    const auto named = [&](const std::vector<std::string>& ids) {
        std::vector<std::string> folders, names;
        for (const std::string& id : ids) folders.push_back((test.root() / "runs" / id).string());
        for (const RunPointer& run : read_runs(folders)) {
            names.push_back(run->name);
            EXPECT_EQ(run->color, study->find(run->folder.filename().string())->color);
        }
        return names;
    };
    EXPECT_THAT(named({"base-s1", "warm-s2"}), ElementsAre("baseline, seed 1", "hot, seed 2"));
    EXPECT_THAT(named({"gpt2-s2", "warm-s2"}), ElementsAre("baseline", "hot")) << "of one seed";
    change_labels(test.root(), [](StudyLabels& labels) {
        labels.runs["base-s1"].name = labels.runs["gpt2-s2"].name = "GPT-2 · small";
    });
    EXPECT_THAT(named({"gpt2-s2"}), ElementsAre("GPT-2 · small")) << "as it was written";
    EXPECT_EQ(read_runs({(test.root() / "runs/base-s1").string(),
                         (test.root() / "runs/warm-s2").string()})[1]
                  ->shade,
              study->find("warm-s2")->shade);
}

TEST(StudyReader, TakesUpAColourThatAPersonChose) {
    const TestStudy test;
    test.add("base-s1", job_text("base", 1));
    test.add("base-s2", job_text("base", 2));
    StudyReader reader(test.root());
    reader.look();
    change_labels(test.root(), [](StudyLabels& labels) {
        labels.runs["base-s1"].color = labels.runs["base-s2"].color = 5;
        labels.runs["base-s1"].tags = {"good"};
    });
    const StudyPointer study = reader.look();
    EXPECT_EQ(study->find("base-s1")->color, 5);
    EXPECT_EQ(study->find("base-s2")->color, 5);
    EXPECT_EQ(study->find("base-s1")->label.tags, std::vector<std::string>{"good"});
}

TEST(StudyReader, ABrokenLabelsFileIsToldAndNotWrittenOver) {
    const TestStudy test;
    test.add("base", job_text("base"));
    write_file_atomically(test.root() / "labels.json", "{ not json");
    const StudyPointer study = StudyReader(test.root()).look_at_all();
    EXPECT_THAT(study->problem, HasSubstr("labels.json"));
    EXPECT_EQ(study->find("base")->color, 0);
    EXPECT_EQ(read_text(test.root() / "labels.json"), "{ not json");
}

}  // namespace
}  // namespace headroom
