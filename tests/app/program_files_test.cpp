#include "app/program_files.h"

#include <gtest/gtest.h>

#include "app/study/study_argument.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

TEST(ProgramFiles, LieBesideTheProgramInABuild) {
    const ProgramFiles files = program_files_of("/somewhere/tree/build/release/bin");
    EXPECT_FALSE(files.installed);
    EXPECT_EQ(files.modules, "/somewhere/tree/build/release/bin");
    EXPECT_EQ(files.resources, "/somewhere/tree/resources");
}

TEST(ProgramFiles, MoveWithAnInstalledProgram) {
    const TemporaryFolder place;
    for (const char* name : {"before", "after"}) {
        const fs::path root = place / name;
        fs::create_directories(root / "bin");
        fs::create_directories(root / "share/headroom");
        const ProgramFiles files = program_files_of(root / "bin");
        EXPECT_TRUE(files.installed);
        EXPECT_EQ(files.modules, root / "lib/headroom");
        EXPECT_EQ(files.resources, root / "share/headroom");
    }
}

TEST(ProgramFiles, NameAResourceThatIsMissing) {
    EXPECT_TRUE(fs::exists(resource("demo/study.json")));
    EXPECT_THROW((void)resource("no-such-thing"), std::exception);
}

TEST(StudyArgument, AStudyFileStandsForItsFolder) {
    const TemporaryFolder place;
    const fs::path folder = place / "mine";
    fs::create_directories(folder);
    write_file_atomically(folder / "study.json", "{}");
    EXPECT_EQ(without_study_file(folder / "study.json"), folder);
    EXPECT_EQ(study_folder(folder / "study.json"), fs::canonical(folder));
    EXPECT_EQ(without_study_file(folder), folder);
    EXPECT_EQ(without_study_file(place / "none/study.json"), place / "none/study.json");
}

}  // namespace
}  // namespace headroom
