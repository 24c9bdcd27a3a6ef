#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

enum Outcome { kNoError = 0, kClear = 7, kUnclear = 8, kForgotten = 9 };

Outcome outcome_of(const EnvironmentError& error, const fs::path& path) {
    const std::string text = error.what();
    const bool clear = text.find("cannot write " + path.string()) != std::string::npos &&
                       text.find("File too large") != std::string::npos &&
                       text.find('\n') == std::string::npos;
    return clear ? kClear : kUnclear;
}

/// Writes until the disk refuses, then goes on calling the broken writer.
int write_until_refused(const fs::path& path) {
    Outcome outcome = kNoError;
    auto writer = RunLogWriter::resume(path, 100);
    try {
        for (int64_t step = 101; step < 100000; ++step) {
            append_steps(writer, step, step);
            if (step % 50 == 0) writer.set_state(RunState::kRunning);
        }
    } catch (const EnvironmentError& error) {
        outcome = outcome_of(error, path);
    }
    for (int again = 0; again < 3; ++again) {
        try {
            append_steps(writer, 1, 1);
            return kForgotten;
        } catch (const EnvironmentError& error) {
            if (outcome_of(error, path) != kClear) return kUnclear;
        }
    }
    writer.set_state(RunState::kFailed);
    return outcome;
}

TEST(RunLogFullDisk, EndsInOneClearErrorAndALogThatOpens) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    auto first = RunLogWriter::create(path, attributes_for_test());
    append_steps(first, 1, 100);
    first.close();
    const auto before = static_cast<rlim_t>(fs::file_size(path));
    for (rlim_t limit = before + 400'000; limit < before + 1'000'000; limit += 47'777) {
        ASSERT_EQ(with_file_size_limit(limit, [&] { return write_until_refused(path); }), kClear)
            << limit;
        const RunSeries series = read_run_log(path);
        ASSERT_TRUE(rows_are_right(series)) << limit;
        ASSERT_EQ(series.state, RunState::kFailed) << limit;
        ASSERT_GE(series.train.step.size(), 100u) << limit;
        auto resumed = RunLogWriter::resume(path, 100);
        append_steps(resumed, 101, 200);
        resumed.close();
        expect_steps(read_run_log(path), 200);
    }
}

TEST(RunLogFullDisk, LeavesTheOldLogWhenResumingFails) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    auto first = RunLogWriter::create(path, attributes_for_test());
    append_steps(first, 1, 5000);
    first.close();
    const int result = with_file_size_limit(30000, [&] {
        try {
            RunLogWriter::resume(path, 5000);
        } catch (const EnvironmentError& error) {
            return outcome_of(error, path);
        }
        return kNoError;
    });
    EXPECT_EQ(result, kClear);
    expect_steps(read_run_log(path), 5000);
    EXPECT_FALSE(fs::exists(folder / "log.h5.tmp"));
}

TEST(RunLogFullDisk, EndsInOneClearErrorWhenThereIsNoRoomForALog) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{1000}, rlim_t{4000}}) {
        const int result = with_file_size_limit(limit, [&] {
            try {
                RunLogWriter::create(path, attributes_for_test());
            } catch (const EnvironmentError& error) {
                return outcome_of(error, path);
            }
            return kNoError;
        });
        EXPECT_EQ(result, kClear) << limit;
        EXPECT_TRUE(fs::is_empty(folder.path())) << limit;
    }
}

}  // namespace
}  // namespace headroom
