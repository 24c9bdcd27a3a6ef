#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLong = 80'000;

/// A log of so many steps, closed.
void write_log(const fs::path& path, int64_t steps) {
    auto writer = RunLogWriter::create(path, attributes_for_test());
    append_steps(writer, 1, steps);
    writer.set_state(RunState::kFinished);
    writer.close();
}

TEST(StoredRows, OfALongLogReadAsThoseInMemory) {
    const TemporaryFolder folder;
    write_log(folder / "log.h5", kLong);
    RunSeries series;
    RunLogReader reader = RunLogReader::open(folder / "log.h5", RowsIn::kLog);
    reader.poll(series);
    EXPECT_GT(series.train.loss.stored_rows(), 60'000u);
    expect_steps(series, kLong);
    std::vector<float> part(10'000);
    series.train.loss.read(70'000, part);
    EXPECT_EQ(part.front(), train_row(70'001).loss);
    EXPECT_EQ(part.back(), train_row(80'000).loss);
}

TEST(StoredRows, OfAShortLogStayInMemory) {
    const TemporaryFolder folder;
    write_log(folder / "log.h5", 1000);
    RunSeries series;
    RunLogReader::open(folder / "log.h5", RowsIn::kLog).poll(series);
    EXPECT_EQ(series.train.loss.stored_rows(), 0u);
    expect_steps(series, 1000);
}

TEST(StoredRows, AreFollowedByThoseThatTheLogGrowsBy) {
    const TemporaryFolder folder;
    auto writer = RunLogWriter::create(folder / "log.h5", attributes_for_test());
    append_steps(writer, 1, kLong);
    writer.sync();
    RunSeries series;
    RunLogReader reader = RunLogReader::open(folder / "log.h5", RowsIn::kLog);
    reader.poll(series);
    append_steps(writer, kLong + 1, kLong + 10'000);
    writer.sync();
    EXPECT_TRUE(reader.poll(series));
    expect_steps(series, kLong + 10'000);
}

TEST(StoredRows, StayThoseOfTheLogThatAnotherReplaced) {
    const TemporaryFolder folder;
    write_log(folder / "log.h5", kLong);
    RunSeries before;
    RunLogReader reader = RunLogReader::open(folder / "log.h5", RowsIn::kLog);
    reader.poll(before);
    RunSeries after = before;
    auto writer = RunLogWriter::resume(folder / "log.h5", 100);
    EXPECT_TRUE(reader.poll(after));
    expect_steps(after, 100);
    EXPECT_TRUE(rows_are_right(before)) << "the old file is still open";
}

TEST(StoredRows, CutWithinThemTheColumnGoesOnInMemory) {
    const TemporaryFolder folder;
    write_log(folder / "log.h5", kLong);
    RunSeries series;
    RunLogReader::open(folder / "log.h5", RowsIn::kLog).poll(series);
    const SharedColumn<int64_t> whole = series.train.step;
    series.train.step.resize(10'001);
    series.train.step.push_back(-1);
    EXPECT_EQ(series.train.step[10'000], 10'001);
    EXPECT_EQ(series.train.step[10'001], -1);
    EXPECT_EQ(whole[10'001], 10'002);
}

TEST(StoredRows, CutInTheFileAreAUserError) {
    const TemporaryFolder folder;
    write_log(folder / "log.h5", kLong);
    RunSeries series;
    RunLogReader reader = RunLogReader::open(folder / "log.h5", RowsIn::kLog);
    reader.poll(series);
    fs::resize_file(folder / "log.h5", 4096);
    std::vector<double> all(60'000);
    EXPECT_THROW(series.train.seconds.read(0, all), UserError);
}

}  // namespace
}  // namespace headroom
