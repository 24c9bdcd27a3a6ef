#include "app/study/study_runner.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/study/study_status.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/foreign_log.h"
#include "core/study/import_log.h"
#include "core/study/run_control.h"
#include "core/study/study_lock.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const auto kNever = [] { return false; };

class StudyRunnerTest : public testing::Test {
  protected:
    void add_run(const std::string& name) {
        write_job(create_run_folder(run(name)),
                  R"({"name": ")" + name + R"(", "train": {"steps": 10}})");
    }
    std::filesystem::path run(const std::string& name) const { return study_ / "runs/" / name; }
    RunPhase phase(const std::string& name) const { return run_status(run(name)).phase; }
    std::string calls(const std::string& name) const {
        const auto path = run(name) / "calls";
        return std::filesystem::exists(path) ? read_text(path) : "";
    }
    /// When its first worker began: nobody else's calls file is older.
    std::filesystem::file_time_type started(const std::string& name) const {
        return std::filesystem::last_write_time(run(name) / "calls");
    }
    /// A run that starts from the last checkpoint of `source`.
    void add_run_from(const std::string& name, const std::string& source) {
        const std::string weights =
            (run(source) / "checkpoints/step-00000010.safetensors").string();
        write_job(create_run_folder(run(name)), R"({"name": ")" + name +
                                                    R"(", "train": {"steps": 10, "init_from": ")" +
                                                    weights + R"("}})");
    }
    StudyRunner runner(std::vector<RunSlot> slots = {{}}) {
        return {study_.path(),
                {.headroom = built_program("fake_headroom"),
                 .order = [this] { return order_; },
                 .slots = std::move(slots),
                 .poll_seconds = 0.01,
                 .say = [this](const std::string& line) { said_.push_back(line); }}};
    }

    TemporaryFolder study_;
    std::vector<std::string> order_;
    std::vector<std::string> said_;
};

TEST_F(StudyRunnerTest, TrainsEveryQueuedRunOnce) {
    for (const char* name : {"a", "b"}) add_run(name);
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("a"), RunPhase::kFinished);
    EXPECT_EQ(phase("b"), RunPhase::kFinished);
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(calls("a"), "train --job " + (run("a") / "job.json").string() + " --out " +
                              run("a").string() + " \n");
}

// Its job may speak of more steps than its log has: there is nothing to train all the same.
TEST_F(StudyRunnerTest, AnImportedRunIsNotTaken) {
    ForeignLog log{"csv", {}};
    log.scalars["train/loss"] = {{10, 0, 3.0}, {20, 0, 2.5}};
    import_log(log, {.tokens_per_step = 100}, run("theirs"));
    const std::string job = read_text(RunFolder{run("theirs")}.job());
    ASSERT_NE(job.find("\"steps\": 20"), std::string::npos) << job;
    write_job(RunFolder{run("theirs")}, std::string(job).replace(job.find("20"), 2, "30"));
    ASSERT_EQ(phase("theirs"), RunPhase::kFinished);
    ASSERT_LT(run_status(run("theirs")).step, run_status(run("theirs")).steps);
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(calls("theirs"), "");
}

TEST_F(StudyRunnerTest, GoesOnAfterAFailureAndQuotesItsReason) {
    for (const char* name : {"bad", "crash", "good"}) add_run(name);
    EXPECT_FALSE(runner().run_all(kNever));
    EXPECT_EQ(phase("bad"), RunPhase::kFailed);
    EXPECT_EQ(phase("good"), RunPhase::kFinished);
    EXPECT_THAT(said_, Contains(AllOf(HasSubstr("bad"), HasSubstr("the loss is NaN at step 10"))));
    EXPECT_THAT(said_, Contains(AllOf(HasSubstr("crash"), HasSubstr("status 137"))));
}

TEST_F(StudyRunnerTest, ARunThatCannotBeStartedDoesNotEndTheQueue) {
    for (const char* name : {"a", "b", "c"}) add_run(name);
    std::filesystem::create_directory(run("a") / "worker.log");
    EXPECT_FALSE(runner().run_all(kNever));
    EXPECT_THAT(said_, Contains(AllOf(HasSubstr("a: not started: "), HasSubstr("worker.log"))));
    EXPECT_EQ(phase("b"), RunPhase::kFinished);
    EXPECT_EQ(phase("c"), RunPhase::kFinished);
    std::filesystem::remove(run("a") / "worker.log");
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("a"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, ADivergenceIsAResultAndNotTriedAgain) {
    add_run("wild");
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("wild"), RunPhase::kDiverged);
    requeue(study_.path());
    EXPECT_TRUE(runner().run_all(kNever));
    const std::string lines = calls("wild");
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
}

TEST_F(StudyRunnerTest, FindsRunsThatAreAddedMeanwhile) {
    add_run("adds");
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("zz-added"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, IsBroughtUpToDateBeforeEveryLook) {
    add_run("a");
    StudyRunner scheduler(study_.path(),
                          {.headroom = built_program("fake_headroom"),
                           .update =
                               [this] {
                                   if (phase("a") == RunPhase::kFinished && calls("b").empty())
                                       add_run("b");
                               },
                           .poll_seconds = 0.01,
                           .say = [](const std::string&) {}});
    EXPECT_TRUE(scheduler.run_all(kNever));
    EXPECT_EQ(phase("b"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, LeavesStoppedAndFailedRunsAloneUntilTheyAreRequeued) {
    add_run("bad");
    add_run("stopped");
    runner().run_all(kNever);
    said_.clear();
    EXPECT_FALSE(runner().run_all(kNever)) << "a script that goes on would take it for done";
    EXPECT_THAT(said_, Contains("1 failed run not taken up; --retry does"));
    EXPECT_THAT(calls("bad"), Not(HasSubstr("--resume")));
    requeue(study_.path());
    EXPECT_FALSE(runner().run_all(kNever));
    EXPECT_THAT(calls("bad"), HasSubstr("--resume"));
}

TEST_F(StudyRunnerTest, StopEndsTheRunAtWorkAndThoseThatWait) {
    add_run("slow");
    add_run("waiting");
    std::thread stopper([&] {
        while (phase("slow") != RunPhase::kRunning)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(request_stop(study_.path()), 2);
    });
    EXPECT_FALSE(runner().run_all(kNever));
    stopper.join();
    EXPECT_EQ(phase("slow"), RunPhase::kStopped);
    EXPECT_EQ(calls("waiting"), "");
    EXPECT_FALSE(runner().run_all(kNever)) << "both are left, and that is no success";
    EXPECT_EQ(calls("waiting"), "");

    requeue(study_.path());
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("slow"), RunPhase::kFinished);
    EXPECT_EQ(phase("waiting"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, AnInterruptEndsTheWorkerAndTheQueue) {
    add_run("slow");
    add_run("waiting");
    bool interrupted = false;
    EXPECT_FALSE(runner().run_all([&] {
        interrupted = interrupted || phase("slow") == RunPhase::kRunning;
        return interrupted;
    }));
    EXPECT_EQ(phase("slow"), RunPhase::kLost);
    EXPECT_EQ(calls("waiting"), "");

    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("slow"), RunPhase::kFinished);
    EXPECT_EQ(phase("waiting"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, ARunWaitsForTheOneThatItStartsFrom) {
    add_run_from("a", "b");  // by name it would come first
    add_run("b");
    EXPECT_TRUE(runner().run_all(kNever));
    EXPECT_EQ(phase("a"), RunPhase::kFinished);
    EXPECT_LT(started("b"), started("a"));
}

TEST_F(StudyRunnerTest, WithoutItsSourceARunIsNotStartedAndThatIsSaid) {
    add_run_from("a", "crash");
    add_run_from("x", "y");  // each waits for the other
    add_run_from("y", "x");
    add_run("crash");
    add_run("z");
    EXPECT_FALSE(runner().run_all(kNever));
    EXPECT_EQ(phase("z"), RunPhase::kFinished);
    for (const char* name : {"a", "x", "y"}) EXPECT_EQ(calls(name), "") << name;
    EXPECT_THAT(said_, Contains(AllOf(HasSubstr("a: not started, for it starts from"),
                                      HasSubstr("and crash is"))));
}

TEST_F(StudyRunnerTest, WithoutItsDataARunIsNotStartedAndThatIsSaidOnce) {
    const std::string file = (study_ / "train.bin").string();
    const auto add = [&](const std::string& name) {
        write_job(create_run_folder(run(name)),
                  R"({"train": {"steps": 10}, "data": {"train": "tokens:)" + file + R"("}})");
    };
    add("a");
    add("b");
    EXPECT_FALSE(runner().run_all(kNever));
    EXPECT_EQ(calls("a") + calls("b"), "");
    EXPECT_THAT(said_, Contains("2 runs not started, for " + file + " does not exist: a, b"));
    write_file_atomically(file, "tokens");
    EXPECT_TRUE(runner().run_all(kNever)) << "without --retry";
    EXPECT_EQ(phase("b"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, SlotsTrainAtTheSameTimeEachWithItsEnvironment) {
    for (const char* name : {"slow-1", "slow-2", "waiting"}) add_run(name);
    std::thread stopper([&] {  // both are at work before either has ended
        while (phase("slow-1") != RunPhase::kRunning || phase("slow-2") != RunPhase::kRunning)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(calls("waiting"), "");
        for (const char* name : {"slow-1", "slow-2"})
            write_request(run(name), ControlRequest::kStop);
    });
    const std::vector<RunSlot> slots{{{"OMP_NUM_THREADS=3"}}, {{"OMP_NUM_THREADS=5"}}};
    EXPECT_FALSE(runner(slots).run_all(kNever));
    stopper.join();
    EXPECT_EQ(phase("waiting"), RunPhase::kFinished);
    EXPECT_THAT(calls("slow-1"), HasSubstr("OMP_NUM_THREADS=3"));
    EXPECT_THAT(calls("slow-2"), HasSubstr("OMP_NUM_THREADS=5"));
}

TEST_F(StudyRunnerTest, AnInterruptEndsTheWorkersOfAllSlots) {
    for (const char* name : {"slow-1", "slow-2"}) add_run(name);
    bool interrupted = false;
    EXPECT_FALSE(runner({{}, {}}).run_all([&] {
        interrupted = interrupted || (phase("slow-1") == RunPhase::kRunning &&
                                      phase("slow-2") == RunPhase::kRunning);
        return interrupted;
    }));
    for (const char* name : {"slow-1", "slow-2"}) {
        EXPECT_FALSE(is_worker_alive(run(name))) << name;
        EXPECT_EQ(phase(name), RunPhase::kLost) << name;
    }
    EXPECT_TRUE(runner({{}, {}}).run_all(kNever));
    EXPECT_EQ(phase("slow-2"), RunPhase::kFinished);
}

TEST_F(StudyRunnerTest, TheOrderIsAskedBeforeEachStart) {
    for (const char* name : {"adds", "b", "c"}) add_run(name);
    StudyRunner scheduler(study_.path(), {.headroom = built_program("fake_headroom"),
                                          .order =
                                              [this] {
                                                  return phase("adds") == RunPhase::kQueued
                                                             ? std::vector<std::string>{"adds"}
                                                             : std::vector<std::string>{"c", "b"};
                                              },
                                          .poll_seconds = 0.01,
                                          .say = [](const std::string&) {}});
    EXPECT_TRUE(scheduler.run_all(kNever));
    EXPECT_LT(started("adds"), started("c"));
    EXPECT_LT(started("c"), started("b"));
}

TEST(RunSlots, ShareTheThreadsAndTakeTurnsAtTheGpus) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    const auto environments = [](int count, const RunMachine& machine) {
        std::vector<std::vector<std::string>> list;
        for (const RunSlot& slot : run_slots(count, machine)) list.push_back(slot.environment);
        return list;
    };
    EXPECT_THAT(environments(0, {8, {}}), ElementsAre(IsEmpty()));
    EXPECT_THAT(environments(3, {8, {}}),
                ElementsAre(ElementsAre("OMP_NUM_THREADS=2"), ElementsAre("OMP_NUM_THREADS=2"),
                            ElementsAre("OMP_NUM_THREADS=2")));
    EXPECT_THAT(environments(4, {2, {}})[0], ElementsAre("OMP_NUM_THREADS=1"));
    EXPECT_THAT(environments(0, {8, {"0"}}), ElementsAre(IsEmpty()));
    EXPECT_THAT(environments(0, {8, {"4", "GPU-7"}}),
                ElementsAre(ElementsAre("OMP_NUM_THREADS=4", "CUDA_VISIBLE_DEVICES=4"),
                            ElementsAre("OMP_NUM_THREADS=4", "CUDA_VISIBLE_DEVICES=GPU-7")));
    EXPECT_THAT(environments(3, {8, {"4", "5"}})[2],
                ElementsAre("OMP_NUM_THREADS=2", "CUDA_VISIBLE_DEVICES=4"));
}

TEST_F(StudyRunnerTest, ASecondSchedulerIsRefused) {
    const auto lock = StudyLock::try_acquire(study_.path());
    ASSERT_TRUE(lock);
    EXPECT_EQ(StudyLock::holder(study_.path()), getpid());
    EXPECT_THROW(runner().run_all(kNever), UserError);
}

TEST_F(StudyRunnerTest, TheLockEndsWithItsHolder) {
    { const auto lock = StudyLock::try_acquire(study_.path()); }
    EXPECT_EQ(StudyLock::holder(study_.path()), std::nullopt);
    EXPECT_TRUE(StudyLock::try_acquire(study_.path()));
}

TEST(StudyStatus, HasAColumnForAccuraciesWhereRunsTellClasses) {
    std::vector<StudyRow> rows{{"a", {}}, {"b", {}}};
    EXPECT_THAT(status_table(rows), Not(HasSubstr("ACCURACY")));
    rows[1].status.val_accuracy = 0.875;
    const std::string table = status_table(rows);
    EXPECT_THAT(table, HasSubstr("VAL ACCURACY"));
    EXPECT_THAT(table, HasSubstr("   0.8750"));
}

TEST_F(StudyRunnerTest, StatusSaysHowFarEveryRunIs) {
    for (const char* name : {"a", "bad"}) add_run(name);
    runner().run_all(kNever);
    add_run("later");
    const auto rows = study_rows(study_.path());
    EXPECT_THAT(status_table(rows), AllOf(HasSubstr("10/10"), HasSubstr("failed")));
    const auto document = status_json(study_.path(), rows);
    ASSERT_EQ(document.at("runs").size(), 3u);
    EXPECT_EQ(document.at("runs").at(0).at("state"), "finished");
    EXPECT_EQ(document.at("runs").at(0).at("loss"), 3.0);
    EXPECT_EQ(document.at("runs").at(2).at("state"), "queued");
    EXPECT_TRUE(document.at("runs").at(2).at("loss").is_null());
    EXPECT_TRUE(document.at("scheduler_pid").is_null());
}

TEST_F(StudyRunnerTest, StatusSaysWhatWillBecomeOfARun) {
    for (const char* name : {"goes", "again"}) add_run(name);
    write_request(run("goes"), ControlRequest::kStop);
    const auto rows = study_rows(study_.path());
    const auto states = status_json(study_.path(), rows).at("runs");
    EXPECT_EQ(states.at(1).at("run"), "goes");
    EXPECT_EQ(states.at(1).at("state"), "stopped") << "before it began";
    EXPECT_EQ(states.at(0).at("state"), "queued");
}

}  // namespace
}  // namespace headroom
