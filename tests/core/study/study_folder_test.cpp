#include "core/study/study_folder.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

TEST(StudyFolder, IsOneByItsPlanOrItsRuns) {
    const TemporaryFolder planned, begun, neither;
    write_plainly(StudyFolder{planned.path()}.plan(), "{}");
    fs::create_directory(StudyFolder{begun.path()}.runs());
    write_plainly(neither / "runs", "a file");
    fs::create_directory(neither / "study.json");
    EXPECT_TRUE(looks_like_study(planned.path()));
    EXPECT_TRUE(looks_like_study(begun.path()));
    EXPECT_FALSE(looks_like_study(neither.path()));
}

TEST(StudyFolder, IsFoundAroundWhatLiesInIt) {
    const TemporaryFolder study;
    const RunFolder run = StudyFolder{study.path()}.run("a");
    EXPECT_EQ(folder_of_runs(run.root), study.path());
    fs::create_directories(run.checkpoints());
    EXPECT_EQ(find_enclosing_study(run.checkpoints()), fs::canonical(study.path()));
}

}  // namespace
}  // namespace headroom
