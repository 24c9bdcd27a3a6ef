#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/tally.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// Continues the log after `last_step`, or begins it, and writes until it is killed. `published`
/// gets the last step that a reader must find.
int write_until_killed(const fs::path& path, int64_t last_step, uint64_t seed,
                       SharedCounter& published) {
    std::mt19937_64 random(seed);
    auto writer = fs::exists(path) ? RunLogWriter::resume(path, last_step)
                                   : RunLogWriter::create(path, attributes_for_test());
    for (int64_t step = last_step + 1;; ++step) {
        append_steps(writer, step, step);
        if (random() % 10 != 0) continue;
        writer.set_state(RunState::kRunning);
        published.set(step);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
}

/// The last step up to which every group has its rows. A kill in the middle of a flush leaves some
/// with fewer than others; nobody resumes there, for a log is synced before its checkpoint.
int64_t last_whole_step(const RunSeries& series) {
    const auto next = [](size_t rows) { return static_cast<int64_t>(rows) + 1; };
    return std::min({next(series.train.step.size()), next(series.val.step.size()) * 10,
                     next(series.system.seconds.size()) * 5}) -
           1;
}

/// Kills a writer at random moments, `kills` times, each resuming from a random step of what the
/// one before has left.
void kill_and_resume(int kills, uint64_t seed) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    std::mt19937_64 random(seed);
    SharedCounter published;
    int64_t last_step = 0;
    int opened = 0;
    for (int kill = 0; kill < kills; ++kill) {
        published.set(0);
        const uint64_t child_seed = random();
        const pid_t pid =
            start_child([&] { return write_until_killed(path, last_step, child_seed, published); });
        // A third of them early, while the file is being made or taken over.
        const uint64_t longest = random() % 3 == 0 ? 5'000 : 120'000;
        std::this_thread::sleep_for(std::chrono::microseconds(random() % longest));
        ::kill(pid, SIGKILL);
        ASSERT_EQ(wait_for_child(pid), 128 + SIGKILL) << "the writer ended by itself";
        if (!fs::exists(path)) continue;  // killed before there was a log

        const RunSeries series = read_run_log(path);
        ASSERT_TRUE(rows_are_right(series)) << "after kill " << kill;
        const auto steps = static_cast<int64_t>(series.train.step.size());
        ASSERT_GE(steps, published.get()) << "after kill " << kill;
        const int64_t whole = last_whole_step(series);
        last_step = whole - std::min<int64_t>(whole, static_cast<int64_t>(random() % 2000));
        ++opened;
    }
    EXPECT_GT(opened, kills / 2);
    tally("kills of a log's writer", kills);
}

TEST(RunLogKill, OpensWithItsRowsAfterFiftyKills) {
    kill_and_resume(50, 1);
}

TEST(RunLogKillLong, OpensWithItsRowsAfterAThousandKills) {
    kill_and_resume(1000, 2);
}

/// A killed write ends between two pages, so headers and indices with checksums must not lie in
/// two: a thousand kills tore one of the headers where they did. Every one begins a page and is
/// smaller.
TEST(RunLogKill, CannotTearAHeaderOrAnIndexBetweenTwoPages) {
    constexpr size_t kPage = 4096;
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, 40'000);
    writer.close();
    const std::string bytes = read_text(folder / "log.h5");
    for (const std::string mark : {"OHDR", "EAHD", "EAIB", "EADB"}) {
        int found = 0;
        for (size_t at = 0; (at = bytes.find(mark, at)) != std::string::npos; ++at) {
            EXPECT_EQ(at % kPage, 0u) << mark << " at " << at;
            const size_t next = bytes.find(mark, at + 1);
            EXPECT_TRUE(next == std::string::npos || next >= at + kPage) << mark << " at " << at;
            ++found;
        }
        EXPECT_GE(found, 11) << mark << ": those of the rows of training and of the system";
    }
}

TEST(RunLogKill, IsReadRightWhileItIsWritten) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    SharedCounter published;
    const pid_t pid = start_child([&] { return write_until_killed(path, 0, 3, published); });
    while (published.get() == 0) std::this_thread::yield();
    auto reader = RunLogReader::open(path);
    RunSeries series;
    for (int poll = 0; poll < 300; ++poll) {
        const int64_t expected = published.get();
        ASSERT_NO_THROW(reader.poll(series)) << "poll " << poll;
        ASSERT_GE(static_cast<int64_t>(series.train.step.size()), expected);
        ASSERT_NO_THROW(reader.tail());
    }
    EXPECT_TRUE(rows_are_right(series));
    ::kill(pid, SIGKILL);
    wait_for_child(pid);
    reader.poll(series);
    EXPECT_TRUE(rows_are_right(series));
}

}  // namespace
}  // namespace headroom
