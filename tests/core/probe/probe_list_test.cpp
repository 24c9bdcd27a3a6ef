#include "core/probe/probe_list.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/log/array_file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

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

TEST(ProbeList, WhatAKilledProbeLeftIsRemovedAndOthersAtWorkAreNot) {
    const TemporaryFolder run;
    make_probes_folder(run.path());
    const fs::path probes = run.path() / "probes";
    const pid_t child = ::fork();
    if (child == 0) {
        const ArrayFileWriter half(probes / "lens-step-00000005.h5");
        ::raise(SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    std::ofstream(probes / "thesis.h5.1.2.tmp") << "mine";
    ArrayFileWriter living(probes / "lens-step-00000007.h5");
    EXPECT_EQ(entries_of(probes).size(), 3U);
    make_probes_folder(run.path());
    EXPECT_EQ(entries_of(probes).size(), 2U) << "only what the killed one left is gone";
    living.commit();
    EXPECT_TRUE(fs::exists(probes / "thesis.h5.1.2.tmp"));
    ASSERT_EQ(list_probe_files(run.path()).size(), 1U);
    EXPECT_EQ(list_probe_files(run.path())[0].step, 7);
}

}  // namespace
}  // namespace headroom
