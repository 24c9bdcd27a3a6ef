#include "core/log/series_pyramid.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/log/pyramid_cache.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/stats/moving_average.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

float loss_at(int64_t step) {
    return static_cast<float>(3 + std::sin(0.001 * static_cast<double>(step)) +
                              0.3 * std::sin(1.7 * static_cast<double>(step)));
}

void append(TrainSeries& train, int64_t first, int64_t last) {
    for (int64_t step = first; step <= last; ++step) {
        train.step.push_back(step);
        train.tokens.push_back(step * 512);
        train.loss.push_back(loss_at(step));
        train.lr.push_back(1e-3f);
        train.grad_norm.push_back(1);
        train.seconds.push_back(0.1 * static_cast<double>(step));
    }
}

TrainSeries series_of(int64_t steps) {
    TrainSeries train;
    append(train, 1, steps);
    return train;
}

SeriesPyramid pyramid_of(const TrainSeries& train, double weight,
                         const std::string& series = "train/loss") {
    SeriesPyramid pyramid;
    pyramid.series = series;
    pyramid.weight = weight;
    EXPECT_TRUE(extend_pyramid(pyramid, train));
    return pyramid;
}

void expect_same(const SeriesPyramid& a, const SeriesPyramid& b) {
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.block_rows, b.block_rows);
    ASSERT_EQ(a.blocks.size(), b.blocks.size());
    for (size_t i = 0; i < a.blocks.size(); ++i) {
        const auto &x = a.blocks[i], &y = b.blocks[i];
        ASSERT_TRUE(x.step == y.step && x.tokens == y.tokens && x.value == y.value &&
                    x.average == y.average && x.averaged == y.averaged && x.raw == y.raw &&
                    x.raw_least == y.raw_least && x.raw_greatest == y.raw_greatest &&
                    x.least == y.least && x.greatest == y.greatest)
            << "stretch " << i;
    }
    EXPECT_EQ(a.last.step, b.last.step);
    EXPECT_EQ(a.last.value, b.last.value);
    EXPECT_EQ(a.first_bad_step, b.first_bad_step);
}

/// Against a plain loop over all rows.
TEST(SeriesPyramid, HoldsTheExtremesOfEveryStretchLoggedAndSmoothed) {
    const int64_t rows = 100'003;
    const TrainSeries train = series_of(rows);
    const SeriesPyramid pyramid = pyramid_of(train, 0.9);
    ASSERT_EQ(pyramid.block_rows, 4);
    ASSERT_EQ(pyramid.blocks.size(), 25'001u);
    MovingAverage average(0.9);
    for (int64_t row = 0; row < rows; ++row) {
        const auto& block = pyramid.blocks[static_cast<size_t>(row / 4)];
        const double value = average.next(loss_at(row + 1));
        if (row % 4 == 0) {
            ASSERT_EQ(block.step, row + 1);
            ASSERT_EQ(block.value, value);
        }
        ASSERT_LE(block.raw_least, loss_at(row + 1));
        ASSERT_GE(block.raw_greatest, loss_at(row + 1));
        ASSERT_LE(block.least, value);
        ASSERT_GE(block.greatest, value);
        ASSERT_LT(block.greatest - block.least, 0.7);
    }
    EXPECT_EQ(pyramid.last.step, rows);
}

TEST(SeriesPyramid, ExtendedIsTheOneMadeAtOnce) {
    TrainSeries train = series_of(10);
    SeriesPyramid grown = pyramid_of(train, 0.6);
    for (const int64_t rows : {11, 40'000, 40'001, 70'000, 131'072, 131'073, 200'000}) {
        append(train, static_cast<int64_t>(train.step.size()) + 1, rows);
        ASSERT_TRUE(extend_pyramid(grown, train));
        expect_same(grown, pyramid_of(train, 0.6));
    }
}

TEST(SeriesPyramid, PassesOverWhatIsNotFiniteAndSaysWhereItBegan) {
    TrainSeries train = series_of(20);
    train.loss.push_back(std::numeric_limits<float>::quiet_NaN());
    train.step.push_back(21);
    train.tokens.push_back(21 * 512);
    train.seconds.push_back(2.1);
    append(train, 22, 30);
    const SeriesPyramid pyramid = pyramid_of(train, 0.6);
    EXPECT_EQ(pyramid.first_bad_step, 21);
    EXPECT_FALSE(pyramid.blocks[20].has_values());
    EXPECT_TRUE(pyramid.blocks[21].has_values());
}

TEST(SeriesPyramid, KnowsASeriesThatNeverChanges) {
    const TrainSeries train = series_of(100);
    EXPECT_TRUE(pyramid_of(train, 0.6, "train/lr").is_constant());
    EXPECT_FALSE(pyramid_of(train, 0.6).is_constant());
}

TEST(SeriesPyramid, IsOfNoUseWhereStepsAreRepeated) {
    TrainSeries train = series_of(20);
    append(train, 11, 30);
    SeriesPyramid pyramid;
    pyramid.series = "train/loss";
    EXPECT_FALSE(extend_pyramid(pyramid, train));
}

class PyramidCacheTest : public testing::Test {
  protected:
    PyramidCacheTest() : writer_(RunLogWriter::create(log_, attributes_for_test())) {
        append_steps(writer_, 1, 500);
        writer_.sync();
        train_ = read_run_log(log_).train;
    }
    void grow(int64_t last) {
        append_steps(writer_, static_cast<int64_t>(train_.step.size()) + 1, last);
        writer_.sync();
        train_ = read_run_log(log_).train;
    }
    std::optional<SeriesPyramid> load() const {
        return load_pyramid(log_, "train/loss", 0.6, train_);
    }
    fs::path file() const { return pyramid_path(log_, "train/loss"); }

    TemporaryFolder folder_;
    fs::path log_ = folder_ / "log.h5";
    RunLogWriter writer_;
    TrainSeries train_;
};

TEST_F(PyramidCacheTest, GivesBackWhatWasKept) {
    const SeriesPyramid pyramid = pyramid_of(train_, 0.6);
    EXPECT_FALSE(load()) << "nothing is kept yet";
    ASSERT_TRUE(save_pyramid(log_, pyramid));
    const auto kept = load();
    ASSERT_TRUE(kept);
    expect_same(*kept, pyramid);
    EXPECT_FALSE(load_pyramid(log_, "train/loss", 0.5, train_)) << "another smoothing";
    EXPECT_FALSE(load_pyramid(log_, "train/lr", 0.6, train_)) << "another series";
}

TEST_F(PyramidCacheTest, OfAGrownLogIsTheBeginning) {
    ASSERT_TRUE(save_pyramid(log_, pyramid_of(train_, 0.6)));
    grow(900);
    auto kept = load();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->rows, 500);
    ASSERT_TRUE(extend_pyramid(*kept, train_));
    expect_same(*kept, pyramid_of(train_, 0.6));
}

TEST_F(PyramidCacheTest, OfAnotherLogIsNone) {
    ASSERT_TRUE(save_pyramid(log_, pyramid_of(train_, 0.6)));
    fs::copy_file(log_, folder_ / "other.h5");
    // A clock of the file system may tick too slowly to tell the two apart.
    fs::last_write_time(folder_ / "other.h5", fs::last_write_time(log_) + std::chrono::seconds(2));
    fs::rename(folder_ / "other.h5", log_);
    EXPECT_FALSE(load()) << "another file with another time";
}

TEST_F(PyramidCacheTest, ThatDisagreesWithTheLogIsNone) {
    ASSERT_TRUE(save_pyramid(log_, pyramid_of(train_, 0.6)));
    train_.loss.resize(499);
    train_.loss.push_back(7);
    EXPECT_FALSE(load());
}

TEST_F(PyramidCacheTest, DamagedInAnyWayIsNone) {
    ASSERT_TRUE(save_pyramid(log_, pyramid_of(train_, 0.6)));
    const std::string good = read_text(file());
    const auto write = [&](const std::string& bytes) {
        AtomicFile out(file());
        out.write(bytes);
        out.commit_unsynced();
    };
    for (size_t at = 0; at < good.size(); at += at < 300 ? 1 : 97) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x55);
        write(bad);
        EXPECT_FALSE(load()) << "byte " << at;
    }
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{223}, good.size() - 1}) {
        write(good.substr(0, bytes));
        EXPECT_FALSE(load()) << bytes << " bytes";
    }
    write(good + good);
    EXPECT_FALSE(load());
    write(good);
    EXPECT_TRUE(load());
}

TEST_F(PyramidCacheTest, IsNotMissedWhereTheFolderCannotBeWritten) {
    fs::create_directory(file());  // in its place, for root may write anywhere
    EXPECT_FALSE(save_pyramid(log_, pyramid_of(train_, 0.6)));
    EXPECT_FALSE(load());
}

}  // namespace
}  // namespace headroom
