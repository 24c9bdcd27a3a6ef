// Several programs that probe one run at the same moment, as a window and a terminal do.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/log/array_file.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

constexpr int kRounds = 12, kAtOnce = 3;

TEST(ProbeRace, ThreeAtOnceAllSucceedAndLeaveAValidFile) {
    const TemporaryFolder folder;
    const std::filesystem::path checkpoint = folder / "model.safetensors", file = folder / "p.h5";
    write_random_checkpoint(checkpoint, {});
    for (int round = 0; round < kRounds; ++round) {
        std::vector<pid_t> probes;
        for (int i = 0; i < kAtOnce; ++i)
            probes.push_back(start_program(
                built_program("headroom"),
                {"probe", "lens", "--checkpoint", checkpoint, "--tokens", "1,2,3,4", "--out", file},
                folder / "said"));
        for (const pid_t probe : probes)
            EXPECT_EQ(wait_for_child(probe), 0) << read_text(folder / "said");
        EXPECT_EQ(ArrayFile(file).attribute("kind"), "lens");
        EXPECT_EQ(ArrayFile(file).type("/tokens/ids").shape, (Shape{1, 4}));
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

}  // namespace
}  // namespace headroom
