#include "core/study/run_status.h"

#include <cmath>
#include <cstring>
#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using ::testing::HasSubstr;

/// A run folder with a job of 3000 steps.
struct TestRun {
    TemporaryFolder folder;
    RunFolder run = create_run_folder(folder / "skipv1");
    TestRun() { write_job(run, attributes_for_test().job_json); }
    RunStatus status() const { return run_status(run.root); }
};

TEST(RunStatus, IsQueuedBeforeAnybodyWorksOnIt) {
    const TestRun run;
    const RunStatus status = run.status();
    EXPECT_EQ(status.phase, RunPhase::kQueued);
    EXPECT_EQ(status.name, "test");
    EXPECT_EQ(status.steps, 3000);
    EXPECT_EQ(status.step, 0);
    EXPECT_TRUE(std::isnan(status.loss));
    EXPECT_EQ(status.problem, "");
}

TEST(RunStatus, FollowsARunToItsEnd) {
    const TestRun run;
    write_worker_info(run.run.root);
    EXPECT_EQ(run.status().phase, RunPhase::kStarting);
    auto writer = RunLogWriter::create(run.run.log(), attributes_for_test());
    EXPECT_EQ(run.status().phase, RunPhase::kStarting);
    append_steps(writer, 1, 1000);
    writer.set_state(RunState::kRunning);
    const RunStatus status = run.status();
    EXPECT_EQ(status.phase, RunPhase::kRunning);
    EXPECT_EQ(status.step, 1000);
    EXPECT_EQ(status.loss, train_row(1000).loss);
    EXPECT_EQ(status.val_loss, val_row(1000).loss);
    EXPECT_NEAR(status.tokens_per_second, 16384, 1e-6);
    EXPECT_NEAR(status.remaining_seconds, 500, 1e-6);
    writer.set_state(RunState::kPaused);
    EXPECT_EQ(run.status().phase, RunPhase::kPaused);
    writer.set_state(RunState::kFinished);
    EXPECT_EQ(run.status().phase, RunPhase::kFinished);
    EXPECT_EQ(run.status().remaining_seconds, 0);
    writer.set_state(RunState::kFailed);
    EXPECT_EQ(run.status().phase, RunPhase::kFailed);
    writer.set_state(RunState::kStopped);
    EXPECT_EQ(run.status().phase, RunPhase::kStopped);
}

TEST(RunStatus, FailedWhereTheWorkerEndedBeforeItHadALog) {
    const TestRun run;
    write_file_atomically(run.run.worker_log(),
                          "reading\nerror: text /nope does not exist; check the path\n");
    EXPECT_EQ(run.status().phase, RunPhase::kFailed);
    EXPECT_EQ(run.status().problem, "text /nope does not exist; check the path");
    write_worker_info(run.run.root);
    EXPECT_EQ(run.status().phase, RunPhase::kStarting);
}

TEST(RunStatus, IsStillQueuedWhereAWorkerWasKilledBeforeItHadALog) {
    const TestRun run;
    write_file_atomically(run.run.worker_log(), "error: of an earlier attempt\nreading\n");
    EXPECT_EQ(run.status().phase, RunPhase::kQueued);
}

TEST(RunStatus, TellsWhyARunFailed) {
    const TestRun run;
    auto writer = RunLogWriter::create(run.run.log(), attributes_for_test());
    writer.set_state(RunState::kFailed);
    write_file_atomically(run.run.worker_log(), "error: loss is not finite at step 7");
    EXPECT_EQ(run.status().problem, "loss is not finite at step 7");
}

TEST(RunStatus, IsLostWhenTheWorkerIsGone) {
    const TestRun run;
    auto writer = RunLogWriter::create(run.run.log(), attributes_for_test());
    writer.set_state(RunState::kRunning);
    EXPECT_EQ(run.status().phase, RunPhase::kLost);
}

TEST(RunStatus, BelievesTheHeartbeatOfAWorkerElsewhere) {
    const TestRun run;
    write_file_atomically(run.run.worker(),
                          R"({"pid": 1, "host": "elsewhere", "started": "", "start_ticks": 1})");
    auto writer = RunLogWriter::create(run.run.log(), attributes_for_test());
    writer.set_state(RunState::kRunning);
    EXPECT_EQ(run.status().phase, RunPhase::kRunning);
}

/// Moves every number in the file that is about the present time by `seconds`.
void move_heartbeat(const std::filesystem::path& log, double seconds) {
    std::string bytes = read_text(log);
    const auto now = static_cast<double>(std::time(nullptr));
    for (size_t at = 0; at + sizeof(double) <= bytes.size(); ++at) {
        double value = 0;
        std::memcpy(&value, &bytes[at], sizeof value);
        if (!(std::abs(value - now) < 100)) continue;
        value += seconds;
        std::memcpy(&bytes[at], &value, sizeof value);
    }
    write_file_atomically(log, bytes);
}

TEST(RunStatus, BelievesNoHeartbeatFromLongAgoOrTheFuture) {
    for (const double days : {-30.0, 30.0}) {
        const TestRun run;
        write_file_atomically(
            run.run.worker(),
            R"({"pid": 1, "host": "elsewhere", "started": "", "start_ticks": 1})");
        RunLogWriter::create(run.run.log(), attributes_for_test()).set_state(RunState::kRunning);
        EXPECT_EQ(run.status().phase, RunPhase::kRunning);
        move_heartbeat(run.run.log(), days * 86400);
        EXPECT_EQ(run.status().phase, RunPhase::kLost) << days;
    }
}

TEST(RunStatus, TellsWhyARunWasLost) {
    const TestRun run;
    RunLogWriter::create(run.run.log(), attributes_for_test()).set_state(RunState::kRunning);
    write_file_atomically(run.run.worker_log(), "error: cannot write x: No space left on device\n");
    EXPECT_EQ(run.status().phase, RunPhase::kLost);
    EXPECT_EQ(run.status().problem, "cannot write x: No space left on device");
}

TEST(RunStatus, NamesWhatIsBroken) {
    const TestRun run;
    write_file_atomically(run.run.log(), "not a log");
    EXPECT_EQ(run.status().phase, RunPhase::kFailed);
    EXPECT_THAT(run.status().problem, HasSubstr("log.h5 is not a readable log"));
    write_file_atomically(run.run.job(), "{}");
    std::filesystem::remove(run.run.log());
    EXPECT_THAT(run.status().problem, HasSubstr("job.json"));
    EXPECT_EQ(run.status().name, "skipv1");
}

}  // namespace
}  // namespace headroom
