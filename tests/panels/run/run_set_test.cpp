#include "panels/run/run_set.h"

#include <condition_variable>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "panels/run/run_follower.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

RunLogAttributes attributes(const std::string& name) {
    return {"{\"name\":\"" + name + "\",\"seed\":1}", "headroom test", "host", "cpu",
            "2025-01-31T12:00:00Z"};
}

RunLogWriter start_log(const RunFolder& folder, const std::string& name) {
    create_run_folder(folder.root);
    return RunLogWriter::create(folder.log(), attributes(name));
}

void add_step(RunLogWriter& log, int64_t step, float loss) {
    log.append_train({.step = step, .tokens = step * 10, .loss = loss});
    log.sync();
}

TEST(RunSet, FollowsALogWhileItGrows) {
    const TemporaryFolder folder;
    const RunFolder run{folder / "base"};
    RunLogWriter log = start_log(run, "base");
    add_step(log, 1, 4.0f);

    RunSet runs;
    runs.follow({run.root});
    EXPECT_TRUE(runs.poll());
    const RunPointer before = runs.runs().at(0);
    EXPECT_EQ(before->name, "base");
    EXPECT_EQ(before->series->train.loss, std::vector<float>{4.0f});
    EXPECT_FALSE(runs.poll()) << "nothing new";

    add_step(log, 2, 3.0f);
    EXPECT_TRUE(runs.poll());
    EXPECT_EQ(runs.runs().at(0)->series->train.step, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(before->series->train.step.size(), 1u) << "a snapshot never changes";
}

TEST(RunSet, AQueuedRunIsEmptyAndKnowsItsName) {
    const TemporaryFolder folder;
    const RunFolder run = create_run_folder(folder / "run-1");
    write_job(run, "{\"name\":\"deep\",\"seed\":1}");
    RunSet runs;
    runs.follow({run.root});
    EXPECT_TRUE(runs.poll());
    EXPECT_EQ(runs.runs().at(0)->name, "deep");
    EXPECT_TRUE(runs.runs().at(0)->series->train.step.empty());
    EXPECT_EQ(runs.runs().at(0)->problem, "");
}

TEST(RunSet, ADamagedLogIsAProblemOfItsRunAlone) {
    const TemporaryFolder folder;
    const RunFolder good{folder / "good"}, bad = create_run_folder(folder / "bad");
    RunLogWriter log = start_log(good, "good");
    add_step(log, 1, 4.0f);
    write_file_atomically(bad.log(), "this is not HDF5");
    RunSet runs;
    runs.follow({bad.root, good.root});
    EXPECT_TRUE(runs.poll());
    EXPECT_THAT(runs.runs().at(0)->problem, HasSubstr("log.h5"));
    EXPECT_EQ(runs.runs().at(1)->series->train.step.size(), 1u);
}

TEST(RunFollower, DeliversFromItsOwnThreadUntilItIsGone) {
    const TemporaryFolder folder;
    const RunFolder run{folder / "base"};
    RunLogWriter log = start_log(run, "base");
    add_step(log, 1, 4.0f);

    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<RunPointer> latest;
    {
        RunFollower follower(
            [&](std::vector<RunPointer> runs) {
                const std::lock_guard lock(mutex);
                latest = std::move(runs);
                arrived.notify_all();
            },
            std::chrono::milliseconds(5));
        follower.follow({run.root});
        const auto has_steps = [&](size_t count) {
            return !latest.empty() && latest[0]->series->train.step.size() == count;
        };
        std::unique_lock lock(mutex);
        const auto patience = std::chrono::seconds(60);
        EXPECT_TRUE(arrived.wait_for(lock, patience, [&] { return has_steps(1); }));
        lock.unlock();
        add_step(log, 2, 3.0f);
        lock.lock();
        EXPECT_TRUE(arrived.wait_for(lock, patience, [&] { return has_steps(2); }));
    }
    EXPECT_EQ(latest[0]->series->train.step.size(), 2u);
}

}  // namespace
}  // namespace headroom
