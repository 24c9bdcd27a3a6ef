#include "core/probe/probe_list.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

TEST(ProbeList, FindsFilesByKindAndStepAndIgnoresOthers) {
    const TemporaryFolder run;
    std::filesystem::create_directory(run.path() / "probes");
    for (const char* name :
         {"lens-step-00000500.h5", "lens-step-00000010.h5", "heads-step-00000500.h5",
          "lens-step-.h5", "lens-step-12x.h5", "notes.txt", "lens-step-00000700.h5.tmp"})
        std::ofstream(run.path() / "probes" / name) << "x";
    const auto files = list_probe_files(run.path());
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].kind, "heads");
    EXPECT_EQ(files[1].step, 10);
    EXPECT_EQ(find_probe_file(run.path(), "lens", -1)->step, 500);
    EXPECT_EQ(find_probe_file(run.path(), "lens", 10)->path.filename(), "lens-step-00000010.h5");
    EXPECT_FALSE(find_probe_file(run.path(), "lens", 11));
    EXPECT_FALSE(find_probe_file(run.path(), "weights", -1));
    EXPECT_TRUE(list_probe_files(run.path() / "nowhere").empty());
}

}  // namespace
}  // namespace headroom
