#include "core/base/open_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(OpenFile, NamedPipesAreRefusedAndNeverWaitedFor) {
    const TemporaryFolder folder;
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT([&] { open_for_reading(pipe); }, ThrowsMessage<UserError>(HasSubstr("regular")));
    for (const OpenForWriting how : {OpenForWriting::kAppend, OpenForWriting::kInPlace})
        EXPECT_THAT([&] { open_for_writing(pipe, how); },
                    ThrowsMessage<EnvironmentError>(HasSubstr("not a regular file; remove it")));
    EXPECT_EQ(last_line_of(pipe), "");
}

TEST(OpenFile, LinksAreReadButNeverWrittenThrough) {
    const TemporaryFolder folder;
    write_plainly(folder / "notes", "notes\n");
    fs::create_symlink("notes", folder / "link");
    fs::create_symlink("nothing", folder / "dangling");
    EXPECT_EQ(read_text(folder / "link"), "notes\n");
    for (const char* name : {"link", "dangling"})
        for (const OpenForWriting how : {OpenForWriting::kAppend, OpenForWriting::kInPlace})
            EXPECT_THAT([&] { open_for_writing(folder / name, how); },
                        ThrowsMessage<EnvironmentError>(HasSubstr("is a link")));
    EXPECT_EQ(read_text(folder / "notes"), "notes\n");
    EXPECT_FALSE(fs::exists(folder / "nothing"));
}

TEST(OpenFile, WritingMakesTheFileAndKeepsWhatItHolds) {
    const TemporaryFolder folder;
    for (const char* text : {"a", "b"})
        ASSERT_EQ(::write(open_for_writing(folder / "log", OpenForWriting::kAppend).get(), text, 1),
                  1);
    open_for_writing(folder / "log", OpenForWriting::kInPlace);
    EXPECT_EQ(read_text(folder / "log"), "ab");
}

TEST(OpenFile, AFolderIsInsideUnlessALinkLeadsItOut) {
    const TemporaryFolder folder;
    const fs::path study = folder / "study";
    fs::create_directories(study / "runs");
    fs::create_directories(folder / "study-2");
    fs::create_symlink("../study-2", study / "figures");
    fs::create_symlink("runs", study / "also");
    EXPECT_TRUE(is_inside(study, study / "runs"));
    EXPECT_TRUE(is_inside(study, study / "also"));
    EXPECT_TRUE(is_inside(study, study / "runs/not-yet/there"));
    EXPECT_FALSE(is_inside(study, study / "figures"));
    EXPECT_FALSE(is_inside(study, study / "figures/not-yet"));
    EXPECT_FALSE(is_inside(study, study / "../study-2"));
    EXPECT_FALSE(is_inside(study, folder / "study-2"));
    EXPECT_FALSE(is_inside(folder / "none", folder / "none"));
    EXPECT_THAT([&] { make_folder_inside(study, study / "figures/a"); },
                ThrowsMessage<UserError>(HasSubstr("leads out of")));
    EXPECT_TRUE(fs::is_empty(folder / "study-2"));
}

TEST(OpenFile, OnlyOnesOwnTemporariesAreRemoved) {
    const TemporaryFolder folder;
    const fs::path own = fresh_temporary(folder / "log.h5");
    EXPECT_NE(own, fresh_temporary(folder / "log.h5"));
    const std::vector<std::string> others{"thesis.tmp", "a.1.tmp", "a.1.x.tmp", ".1.2.tmp",
                                          "1.2.tmp"};
    for (const std::string& name : others) write_plainly(folder / name, "precious");
    write_plainly(own, "left over");
    write_plainly(folder / "job.json.7.8.tmp", "left over");
    fs::create_symlink("thesis.tmp", folder / "job.json.7.9.tmp");
    remove_stale_temporaries_of(folder / "log.h5");
    EXPECT_FALSE(fs::exists(own));
    EXPECT_TRUE(fs::exists(folder / "job.json.7.8.tmp"));
    remove_stale_temporaries(folder.path(), [](std::string_view) { return true; });
    EXPECT_FALSE(fs::exists(folder / "job.json.7.8.tmp"));
    EXPECT_TRUE(fs::is_symlink(folder / "job.json.7.9.tmp"));
    for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(OpenFile, ATemporaryStaysWhileItsWriterHoldsIt) {
    const TemporaryFolder folder;
    const fs::path temporary = fresh_temporary(folder / "log.h5");
    write_plainly(temporary, "half");
    FileDescriptor file = open_for_reading(temporary);
    const FileDescriptor late = open_for_reading(temporary);
    FileDescriptor held = hold_temporary(file.get());
    EXPECT_TRUE(static_cast<bool>(held));
    remove_stale_temporaries_of(folder / "log.h5");
    EXPECT_TRUE(fs::exists(temporary));
    file.reset();
    remove_stale_temporaries_of(folder / "log.h5");
    EXPECT_TRUE(fs::exists(temporary));
    held.reset();
    remove_stale_temporaries_of(folder / "log.h5");
    EXPECT_FALSE(fs::exists(temporary));
    EXPECT_FALSE(static_cast<bool>(hold_temporary(late.get()))) << "it is gone";
}

}  // namespace
}  // namespace headroom
