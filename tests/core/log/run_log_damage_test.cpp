#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "tests/core/log/log_rows.h"
#include "tests/support/patience.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/watched_child.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr unsigned kSecondsPerCase = 20 * kPatience;

/// The bytes of a log, closed properly or as a kill leaves it.
std::string bytes_of_log(bool closed) {
    const TemporaryFolder folder;
    const fs::path path = folder / "log.h5";
    const pid_t pid = start_child([&] {
        auto writer = RunLogWriter::create(path, attributes_for_test());
        append_steps(writer, 1, 1500);
        writer.set_state(RunState::kRunning);
        if (closed) writer.close();
        ::raise(SIGKILL);
        return 0;
    });
    wait_for_child(pid);
    return read_text(path);
}

/// Reads `bytes` as a log in this process; whatever comes is right but a crash or a hang.
/// Returns whether it was refused.
bool is_refused(const fs::path& path, const std::string& bytes) {
    write_plainly(path, bytes);
    ::alarm(kSecondsPerCase);
    try {
        auto reader = RunLogReader::open(path);
        RunSeries series;
        reader.poll(series);
        reader.tail();
        return false;
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(path.string()));
        return true;
    }
}

/// Lets `damage(bytes, case)` spoil a log in each of `cases` ways, in a child that may crash or
/// hang.
template <class Damage>
void expect_survival(int64_t cases, Damage&& damage) {
    const TemporaryFolder folder;
    for (const bool closed : {true, false}) {
        const std::string good = bytes_of_log(closed);
        SharedCounter at;
        const int result = wait_for_child(start_child([&] {
            for (int64_t i = 0; i < cases; ++i) {
                at.set(i);
                std::string bytes = good;
                damage(bytes, i);
                is_refused(folder / "log.h5", bytes);
            }
            return 0;
        }));
        EXPECT_EQ(result, 0) << "case " << at.get() << (closed ? ", closed" : ", killed");
    }
}

void flip_one_byte(std::string& bytes, int64_t i) {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
}

void cut(std::string& bytes, int64_t i) {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    bytes.resize(random() % bytes.size());
}

/// A sector of zeros or noise, as a broken disk leaves it.
void spoil_a_sector(std::string& bytes, int64_t i) {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    const size_t begin = random() % (bytes.size() / 512) * 512;
    const bool zeros = random() % 2 == 0;
    for (size_t at = begin; at < begin + 512; ++at)
        bytes[at] = zeros ? '\0' : static_cast<char>(random());
}

TEST(RunLogDamage, SurvivesFlippedBytes) {
    expect_survival(100, flip_one_byte);
}
TEST(RunLogDamage, SurvivesTruncation) {
    expect_survival(50, cut);
}
TEST(RunLogDamage, SurvivesSpoiledSectors) {
    expect_survival(50, spoil_a_sector);
}

TEST(RunLogDamageLong, SurvivesFlippedBytes) {
    expect_survival(5000, flip_one_byte);
}
TEST(RunLogDamageLong, SurvivesTruncation) {
    expect_survival(2000, cut);
}
TEST(RunLogDamageLong, SurvivesSpoiledSectors) {
    expect_survival(2000, spoil_a_sector);
}

TEST(RunLogDamage, RefusesEveryLogThatLostRows) {
    const TemporaryFolder folder;
    const std::string good = bytes_of_log(true);
    ASSERT_FALSE(is_refused(folder / "log.h5", good));
    for (size_t cuts = 1; cuts <= 12; ++cuts)
        EXPECT_TRUE(is_refused(folder / "log.h5", good.substr(0, good.size() * cuts / 13)))
            << cuts << " of 13";
    EXPECT_TRUE(is_refused(folder / "log.h5", good.substr(0, good.size() - 1)));
    ::alarm(0);
    try {
        RunLogReader::open(folder / "log.h5");
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("log.h5 is not a readable log: it is cut short;"));
    }
}

TEST(RunLogDamage, RefusesWhatIsNotALog) {
    const TemporaryFolder folder;
    const auto complaint = [&](const fs::path& path) {
        try {
            RunLogReader::open(path);
        } catch (const UserError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    write_plainly(folder / "a", "");
    write_plainly(folder / "b", std::string(100000, 'x'));
    write_plainly(folder / "c", std::string("\x89HDF\r\n\x1a\n") + std::string(1000, '\0'));
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(complaint(folder / "a"), HasSubstr("not an HDF5 file"));
    EXPECT_THAT(complaint(folder / "b"), HasSubstr("not an HDF5 file"));
    EXPECT_THAT(complaint(folder / "c"), HasSubstr("of a format that logs and probes do not use"));
    EXPECT_THAT(complaint(folder / "pipe"), HasSubstr("not a regular file"));
    EXPECT_THAT(complaint(folder.path()), HasSubstr("not a regular file"));
    EXPECT_THAT(complaint(folder / "none"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace headroom
