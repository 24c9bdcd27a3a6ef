#include "panels/jobs/job_table.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::HasSubstr;

const JobTableContext kWorking{"2026-03-02T15:00:00", true};
const JobTableContext kIdle{"2026-03-02T15:00:00", false};

RunPointer run_in(RunPhase phase, int64_t step = 0, int64_t steps = 0) {
    headroom::Run entry;
    entry.id = "skipv1-s1";
    entry.color = 3;
    entry.folder = "/studies/demo/runs/skipv1-s1";
    entry.job = std::make_shared<const Job>();
    entry.started = "2026-03-02T14:05:09+01:00";
    entry.status.phase = phase;
    entry.status.name = "skipv1";
    entry.status.step = step;
    entry.status.steps = steps;
    entry.status.loss = step > 0 ? 2.34567 : std::nan("");
    entry.status.val_loss = std::nan("");
    entry.status.tokens_per_second = step > 0 ? 4096.4 : 0;
    entry.status.remaining_seconds = step > 0 ? 185 : 0;
    return std::make_shared<const headroom::Run>(entry);
}

JobRow row_of(const RunPointer& entry) {
    return build_job_table(std::vector{entry}, kWorking).rows.at(0);
}

TEST(JobTable, ARunningJobShowsWhatAPersonAsks) {
    const JobRow row = row_of(run_in(RunPhase::kRunning, 120, 500));
    EXPECT_EQ(row.state, "running");
    EXPECT_EQ(row.steps, "120 / 500");
    EXPECT_DOUBLE_EQ(row.progress.value(), 0.24);
    EXPECT_EQ(row.loss, "2.3457");
    EXPECT_EQ(row.val_loss, "–");
    EXPECT_EQ(row.tokens_per_second, "4.10 k");
    EXPECT_EQ(row.remaining, "3 min 05 s");
    EXPECT_EQ(row.started, "14:05");
    EXPECT_EQ(row.tone, JobTone::kActive);
    EXPECT_EQ(row.color, 3);
}

TEST(JobTable, AQueuedJobShowsDashesInsteadOfZeros) {
    const JobRow row = row_of(run_in(RunPhase::kQueued, 0, 500));
    EXPECT_EQ(row.loss, "–");
    EXPECT_EQ(row.tokens_per_second, "–");
    EXPECT_EQ(row.remaining, "–");
    EXPECT_DOUBLE_EQ(row.progress.value(), 0);
}

TEST(JobTable, AnUnknownLengthHasNoProgressBar) {
    const JobRow row = row_of(run_in(RunPhase::kRunning, 70, 0));
    EXPECT_FALSE(row.progress.has_value());
    EXPECT_EQ(row.steps, "70");
}

TEST(JobTable, MoreStepsThanPlannedStayWithinTheBar) {
    EXPECT_DOUBLE_EQ(row_of(run_in(RunPhase::kFinished, 700, 500)).progress.value(), 1);
}

// Start queue did nothing that could be seen.
TEST(JobTable, ThatNoRunWillStartIsSaid) {
    headroom::Run entry = *run_in(RunPhase::kQueued);
    entry.name = "skip";
    entry.status.problem = "waits for book.txt, which is not there";
    const auto waits = std::make_shared<const headroom::Run>(entry);
    entry.status.phase = RunPhase::kFailed;
    entry.status.problem = "out of memory";
    entry.request = ControlRequest::kRun;
    const auto tried_again = std::make_shared<const headroom::Run>(entry);
    const auto done = run_in(RunPhase::kFinished);
    const auto why = [](std::vector<RunPointer> runs) { return why_none_starts(runs); };
    EXPECT_EQ(why({done, waits}), "Nothing starts: skip: waits for book.txt, which is not there");
    EXPECT_THAT(why({waits, waits, waits}), HasSubstr("and 2 more cannot start"));
    EXPECT_EQ(why({waits, run_in(RunPhase::kQueued)}), "");
    EXPECT_EQ(why({waits, run_in(RunPhase::kLost)}), "");
    EXPECT_EQ(why({waits, tried_again}), "");
    EXPECT_EQ(why({done}), "");
}

TEST(JobTable, AProblemIsToldAndColoured) {
    headroom::Run entry = *run_in(RunPhase::kFinished, 1, 1);
    entry.status.problem = "log.h5 is not an HDF5 file";
    const JobRow row = row_of(std::make_shared<const headroom::Run>(entry));
    EXPECT_EQ(row.detail, "log.h5 is not an HDF5 file");
    EXPECT_EQ(row.tone, JobTone::kBad);
}

// M11
TEST(JobTable, ARunThatWasLostSaysWhatThatMeansAndWhatToDo) {
    const JobRow row = row_of(run_in(RunPhase::kLost, 3, 10));
    EXPECT_NE(row.detail.find("went without a word"), std::string::npos) << row.detail;
    EXPECT_NE(row.detail.find("Resume"), std::string::npos);
}

TEST(JobTable, AnotherDayIsNamed) {
    headroom::Run entry = *run_in(RunPhase::kFinished, 1, 1);
    entry.started = "2026-01-31T09:30:00Z";
    EXPECT_EQ(row_of(std::make_shared<const headroom::Run>(entry)).started, "31 Jan 09:30");
    entry.started = "nonsense";
    EXPECT_EQ(row_of(std::make_shared<const headroom::Run>(entry)).started, "nonsense");
}

TEST(JobTable, ADivergedLossIsShownAsSuch) {
    headroom::Run entry = *run_in(RunPhase::kFailed, 3, 10);
    entry.status.loss = INFINITY;
    EXPECT_EQ(row_of(std::make_shared<const headroom::Run>(entry)).loss, "inf");
}

TEST(JobTable, WhatWasAskedIsShownUntilItIsDone) {
    headroom::Run entry = *run_in(RunPhase::kRunning, 3, 10);
    const auto state = [&entry] {
        return row_of(std::make_shared<const headroom::Run>(entry)).state;
    };
    entry.request = ControlRequest::kPause;
    EXPECT_EQ(state(), "pausing…");
    entry.status.phase = RunPhase::kPaused;
    EXPECT_EQ(state(), "paused");
    entry.request = ControlRequest::kRun;
    EXPECT_EQ(state(), "resuming…");
    entry.request = ControlRequest::kStop;
    EXPECT_EQ(state(), "stopping…");
}

TEST(JobTable, AFailedRunThatWasQueuedAgainIsQueued) {
    headroom::Run entry = *run_in(RunPhase::kFailed, 3, 10);
    entry.request = ControlRequest::kRun;
    const JobTable table =
        build_job_table(std::vector{std::make_shared<const headroom::Run>(entry)}, kIdle);
    EXPECT_EQ(table.rows[0].state, "queued");
    EXPECT_TRUE(table.can_start);
}

TEST(JobTable, AQueuedRunThatWasAskedToStopIsStopped) {
    headroom::Run entry = *run_in(RunPhase::kQueued, 0, 10);
    entry.request = ControlRequest::kStop;
    const JobRow row = row_of(std::make_shared<const headroom::Run>(entry));
    EXPECT_EQ(row.state, "stopped");
    EXPECT_TRUE(row.actions.resume);
    EXPECT_FALSE(row.actions.stop);
}

TEST(JobTable, TheSummaryCountsByState) {
    const std::vector runs{run_in(RunPhase::kFinished, 5, 5), run_in(RunPhase::kRunning, 1, 5),
                           run_in(RunPhase::kQueued, 0, 5), run_in(RunPhase::kQueued, 0, 5)};
    EXPECT_THAT(build_job_table(runs, kWorking).summary,
                HasSubstr("1 running, 2 queued, 1 finished"));
    EXPECT_EQ(build_job_table({}, kIdle).summary, "");
}

TEST(JobTable, OfSeveralRunsAtOnceTheLongestIsWaitedFor) {
    const std::vector<RunPointer> runs{run_in(RunPhase::kRunning, 120, 500),
                                       run_in(RunPhase::kRunning, 120, 500)};
    EXPECT_THAT(build_job_table(runs, kWorking).summary, HasSubstr("3 min 05 s left"));
}

TEST(JobTable, TheQueueCanBeStartedWhereRunsWaitAndNobodyWorks) {
    const std::vector waiting{run_in(RunPhase::kQueued, 0, 5)};
    EXPECT_TRUE(build_job_table(waiting, kIdle).can_start);
    EXPECT_THAT(build_job_table(waiting, kIdle).summary, HasSubstr("not running"));
    EXPECT_FALSE(build_job_table(waiting, kWorking).can_start);
    const std::vector done{run_in(RunPhase::kFinished, 5, 5)};
    EXPECT_FALSE(build_job_table(done, kIdle).can_start);
}

TEST(JobTable, APlannedRunCanOnlyBeStartedOrTakenOut) {
    headroom::Run entry = *run_in(RunPhase::kQueued, 0, 10);
    entry.planned = true;
    const JobTable table =
        build_job_table(std::vector{std::make_shared<const headroom::Run>(entry)}, kIdle);
    EXPECT_EQ(table.rows[0].state, "planned");
    EXPECT_EQ(table.rows[0].actions, JobActions{.remove = true});
    EXPECT_TRUE(table.can_start);
    EXPECT_THAT(table.summary, HasSubstr("1 planned"));
}

TEST(JobActions, FollowFromThePhase) {
    EXPECT_TRUE(actions_in(RunPhase::kRunning).pause);
    EXPECT_FALSE(actions_in(RunPhase::kRunning).remove);
    EXPECT_TRUE(actions_in(RunPhase::kPaused).resume);
    EXPECT_TRUE(actions_in(RunPhase::kPaused).stop);
    EXPECT_FALSE(actions_in(RunPhase::kPaused).remove);
    EXPECT_TRUE(actions_in(RunPhase::kQueued).stop);
    EXPECT_TRUE(actions_in(RunPhase::kLost).resume);
    EXPECT_TRUE(actions_in(RunPhase::kStopped).resume);
    EXPECT_FALSE(actions_in(RunPhase::kFinished).resume);
    EXPECT_TRUE(actions_in(RunPhase::kFinished).remove);
}

TEST(JobActions, OfSeveralRowsAreTheUnion) {
    const JobRow running = row_of(run_in(RunPhase::kRunning, 1, 2));
    const JobRow stopped = row_of(run_in(RunPhase::kStopped, 1, 2));
    const std::vector<const JobRow*> rows{&running, &stopped};
    const JobActions actions = actions_of(rows);
    EXPECT_TRUE(actions.pause);
    EXPECT_TRUE(actions.resume);
    EXPECT_EQ(actions_of({}), JobActions{});
}

}  // namespace
}  // namespace headroom
