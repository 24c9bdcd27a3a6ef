#include "core/study/run_control.h"

#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/run_folder.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using ::testing::HasSubstr;

/// A child that does `start` and then waits to be killed.
template <class Start>
pid_t child_that(Start&& start) {
    int ready[2];
    if (::pipe(ready) != 0) return -1;
    const pid_t pid = ::fork();
    if (pid == 0) {
        start();
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char byte = 0;
    ::close(ready[1]);
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    return pid;
}

void kill_child(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

TEST(RunFolder, HasTheNamesOfTheContract) {
    const RunFolder run{"/s/runs/a"};
    EXPECT_EQ(run.job(), "/s/runs/a/job.json");
    EXPECT_EQ(run.log(), "/s/runs/a/log.h5");
    EXPECT_EQ(run.checkpoints(), "/s/runs/a/checkpoints");
    EXPECT_EQ(run.probes(), "/s/runs/a/probes");
    EXPECT_EQ(run.worker_log(), "/s/runs/a/worker.log");
    EXPECT_EQ(run.worker(), "/s/runs/a/worker.json");
    EXPECT_EQ(run.control(), "/s/runs/a/control.json");
}

TEST(RunFolder, ListsRunsThatHaveAJob) {
    const TemporaryFolder study;
    EXPECT_TRUE(list_runs(study.path()).empty());
    for (const char* name : {"b", "a", "no-job"}) create_run_folder(study.path() / "runs" / name);
    write_job({study.path() / "runs" / "a"}, "{}");
    write_job({study.path() / "runs" / "b"}, "{}");
    const auto runs = list_runs(study.path());
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].root.filename(), "a");
    EXPECT_EQ(runs[1].root.filename(), "b");
}

TEST(Worker, LivesAsLongAsItsProcess) {
    const TemporaryFolder run;
    EXPECT_FALSE(is_worker_alive(run.path()));
    const pid_t pid = child_that([&] { write_worker_info(run.path()); });
    EXPECT_TRUE(is_worker_alive(run.path()));
    EXPECT_EQ(read_worker_info(run.path())->pid, pid);
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(is_worker_alive(run.path())) << "a zombie";
    ::waitpid(pid, nullptr, 0);
    EXPECT_FALSE(is_worker_alive(run.path()));
}

TEST(Worker, IsNotAnotherProcessWithTheSamePid) {
    const TemporaryFolder run;
    write_worker_info(run.path());
    ASSERT_TRUE(is_worker_alive(run.path()));
    std::string text = read_text(run / "worker.json");
    const size_t at = text.find("\"start_ticks\":") + 14;
    text.insert(at, "1");
    write_file_atomically(run / "worker.json", text);
    ASSERT_TRUE(read_worker_info(run.path()));
    EXPECT_FALSE(is_worker_alive(run.path()));
}

TEST(Worker, OfAnotherHostIsNotKnownToLive) {
    const TemporaryFolder run;
    write_file_atomically(run / "worker.json",
                          R"({"pid": 1, "host": "elsewhere", "started": "", "start_ticks": 1})");
    ASSERT_TRUE(read_worker_info(run.path()));
    EXPECT_FALSE(is_worker_of_this_host(*read_worker_info(run.path())));
    EXPECT_FALSE(is_worker_alive(run.path()));
}

TEST(Worker, IsUnknownWhenItsFileIsBroken) {
    const TemporaryFolder run;
    for (const char* text : {"", "[]", "{}", "{\"pid\": \"x\"}", "\xff",
                             R"({"pid": -4, "host": "h", "start_ticks": 1})"}) {
        write_file_atomically(run / "worker.json", text);
        EXPECT_FALSE(read_worker_info(run.path())) << text;
    }
}

TEST(ControlReader, SeesEveryRequest) {
    const TemporaryFolder run;
    ControlReader reader(run.path());
    EXPECT_EQ(reader.poll(), ControlRequest::kRun);
    for (const auto request : {ControlRequest::kPause, ControlRequest::kRun, ControlRequest::kStop,
                               ControlRequest::kPause}) {
        write_request(run.path(), request);
        EXPECT_EQ(reader.poll(), request);
        EXPECT_EQ(reader.poll(), request);
    }
    clear_request(run.path());
    EXPECT_EQ(reader.poll(), ControlRequest::kRun);
}

TEST(ControlReader, KeepsTheLastRequestWhenTheFileIsBroken) {
    const TemporaryFolder run;
    ControlReader reader(run.path());
    write_request(run.path(), ControlRequest::kPause);
    EXPECT_EQ(reader.poll(), ControlRequest::kPause);
    for (const char* text : {"", "{", "{\"request\": \"dance\"}", "[1]", "{\"request\": 3}"}) {
        write_file_atomically(run / "control.json", text);
        EXPECT_EQ(reader.poll(), ControlRequest::kPause) << text;
    }
}

TEST(RunLock, IsHeldByOneProcessAndEndsWithIt) {
    const TemporaryFolder run;
    const pid_t pid = child_that([&] {
        write_worker_info(run.path());
        static const RunLock lock = RunLock::acquire(run.path());
    });
    try {
        RunLock::acquire(run.path());
        ADD_FAILURE() << "two workers hold one run";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(std::to_string(pid)));
    }
    kill_child(pid);
    EXPECT_NO_THROW(RunLock::acquire(run.path()));
}

}  // namespace
}  // namespace headroom
