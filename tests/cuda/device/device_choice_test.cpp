#include "cuda/device/device_choice.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace headroom::cuda {
namespace {

int rank_in(const std::map<std::string, std::string>& variables) {
    return local_rank([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(LocalRank, IsThatOfTheLauncher) {
    EXPECT_EQ(rank_in({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}}), 3);
    EXPECT_EQ(rank_in({{"MPI_LOCALRANKID", "2"}}), 2);
    EXPECT_EQ(rank_in({{"SLURM_LOCALID", "5"}}), 5);
}

TEST(LocalRank, IsMpirunsInsideAJobOfSlurm) {
    EXPECT_EQ(rank_in({{"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}), 1);
}

TEST(LocalRank, IsZeroForAProcessOnItsOwn) {
    EXPECT_EQ(rank_in({}), 0);
    EXPECT_EQ(rank_in({{"SLURM_LOCALID", ""}}), 0);
    EXPECT_EQ(rank_in({{"SLURM_LOCALID", "-1"}}), 0);
    EXPECT_EQ(rank_in({{"MPI_LOCALRANKID", "1x"}, {"SLURM_LOCALID", "4"}}), 4);
}

TEST(DeviceChoice, GivesEachProcessOfAMachineItsOwn) {
    for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(choose_device(8, rank), rank);
}

TEST(DeviceChoice, TakesTheOneThatTheLauncherShows) {
    for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(choose_device(1, rank), 0);
}

TEST(DeviceChoice, SharesWhereThereAreMoreProcesses) {
    EXPECT_EQ(choose_device(2, 2), 0);
    EXPECT_EQ(choose_device(2, 3), 1);
}

}  // namespace
}  // namespace headroom::cuda
