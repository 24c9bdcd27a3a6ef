#include "core/base/file.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/mmap_file.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

size_t entries_in(const fs::path& folder) {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, ReplacesTheOldFileOnlyAtCommit) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a.json";
    write_file_atomically(path, "old");
    {
        AtomicFile file(path);
        file.write("new");
        EXPECT_EQ(read_text(path), "old");
        file.commit();
    }
    EXPECT_EQ(read_text(path), "new");
    EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(AtomicFile, LeavesNothingBehindWhenItIsGivenUp) {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder / "a.json", 1 << 20);
        file.write("half");
    }
    EXPECT_EQ(entries_in(folder.path()), 0u);
}

TEST(AtomicFile, GivesBackWhatItReservedTooMuch) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "a", 1 << 20);
    file.write("four");
    file.commit();
    EXPECT_EQ(fs::file_size(folder / "a"), 4u);
    struct stat status {};
    ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
    EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(AtomicFile, NamesThePathOfAMissingFolder) {
    const TemporaryFolder folder;
    try {
        write_file_atomically(folder / "none" / "a.json", "x");
        FAIL() << "no error";
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("none/a.json"), HasSubstr("create its folder")));
    }
}

TEST(AtomicFile, ReplacesFilesAlone) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "target", "old");
    fs::create_symlink("target", folder / "link");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder");
    for (const char* name : {"link", "pipe", "folder"}) {
        try {
            write_file_atomically(folder / name, "new");
            ADD_FAILURE() << name;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr(", not a file; name")));
        }
    }
    EXPECT_EQ(read_text(folder / "target"), "old");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(entries_in(folder.path()), 4u);
}

TEST(AtomicFile, KeepsTheOldFileWhenTheDiskRefuses) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a";
    write_file_atomically(path, "old");
    const auto body = [&](uint64_t expected) {
        try {
            AtomicFile file(path, expected);
            for (int i = 0; i < 100; ++i) file.write(std::string(1000, 'x'));
            file.commit();
        } catch (const EnvironmentError& error) {
            return std::string(error.what()).find(path.string()) != std::string::npos ? 7 : 8;
        }
        return 0;
    };
    EXPECT_EQ(with_file_size_limit(10000, [&] { return body(0); }), 7);
    EXPECT_EQ(with_file_size_limit(10000, [&] { return body(100000); }), 7);
    EXPECT_EQ(read_text(path), "old");
    EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(ReadText, RefusesWhatIsNotARegularFile) {
    const TemporaryFolder folder;
    EXPECT_THROW(read_text(folder / "none"), UserError);
    EXPECT_THROW(read_text(folder.path()), UserError);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(read_text(folder / "pipe"), UserError);
    write_file_atomically(folder / "big", "123456");
    EXPECT_THROW(read_text(folder / "big", 5), UserError);
}

TEST(RemoveStaleTemporaries, TouchesNothingElse) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "keep.json", "x");
    write_file_atomically(folder / "a.json.1.0.tmp", "x");
    remove_stale_temporaries(folder.path(), [](std::string_view) { return true; });
    EXPECT_TRUE(fs::exists(folder / "keep.json"));
    EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(EntriesOf, AreSortedAndNoneWhereThereIsNoFolder) {
    const TemporaryFolder folder;
    for (const char* name : {"b", "a", "c"}) std::ofstream(folder / name) << name;
    EXPECT_THAT(entries_of(folder.path()),
                testing::ElementsAre(folder / "a", folder / "b", folder / "c"));
    EXPECT_THAT(entries_of(folder / "a"), testing::IsEmpty());
    EXPECT_THAT(entries_of(folder / "none"), testing::IsEmpty());
}

TEST(MmapFile, SeesTheBytesAndMovesThem) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "abc");
    MmapFile file = MmapFile::open(folder / "a");
    const MmapFile moved = std::move(file);
    ASSERT_EQ(moved.bytes().size(), 3u);
    EXPECT_EQ(moved.bytes()[2], std::byte{'c'});
}

TEST(MmapFileDeathTest, OneThatIsShortenedIsNamed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const TemporaryFolder folder;
    const auto read_shortened = [&] {
        const fs::path path = folder / "tokens.bin";
        write_file_atomically(path, std::string(100'000, 'x'));
        guard_mappings();
        const MmapFile file = MmapFile::open(path);
        fs::resize_file(path, 0);
        std::_Exit(file.bytes()[50'000] == std::byte{0} ? 3 : 4);
    };
    EXPECT_EXIT(read_shortened(), testing::ExitedWithCode(1),
                "error: .*tokens.bin became shorter while it was read.*start again\n");
}

TEST(MmapFile, AllowsAnEmptyFileAndRefusesFoldersAndPipes) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "empty", "");
    EXPECT_TRUE(MmapFile::open(folder / "empty").bytes().empty());
    EXPECT_THROW(MmapFile::open(folder.path()), UserError);
    EXPECT_THROW(MmapFile::open(folder / "none"), UserError);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(MmapFile::open(folder / "pipe"), UserError);
}

}  // namespace
}  // namespace headroom
