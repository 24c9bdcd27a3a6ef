#include "core/cpu/thread_waiting.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "tests/support/patience.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

TEST(ThreadWaiting, SumsWhatAllThreadsWaited) {
    const TemporaryFolder threads;
    for (const char* id : {"7", "8", "9"}) fs::create_directory(threads.path() / id);
    std::ofstream(threads.path() / "7/schedstat") << "900000000 250000000 31\n";
    std::ofstream(threads.path() / "8/schedstat") << "100 500000000 2\n";
    // The third has ended meanwhile.
    EXPECT_DOUBLE_EQ(seconds_without_core(threads.path()).value(), 0.75);
}

TEST(ThreadWaiting, SaysNothingWhereNobodyCounts) {
    const TemporaryFolder threads;
    EXPECT_FALSE(seconds_without_core(threads.path()));
    fs::create_directory(threads.path() / "7");
    std::ofstream(threads.path() / "7/schedstat") << "0 0 0\n";
    EXPECT_FALSE(seconds_without_core(threads.path()));
    EXPECT_FALSE(seconds_without_core(threads.path() / "absent"));
}

TEST(ThreadWaiting, NoticesThatCoresAreShared) {
    if (!seconds_without_core("/proc/self/task")) GTEST_SKIP() << "the kernel does not count";
    omp_set_num_threads(2);
    setenv(kSpinVariable, kSpinsAlone, 1);
    const SpinningWhileAlone spinning;
    std::atomic<bool> enough = false;
    std::vector<std::jthread> busy;
    for (int n = 0; n < 3 * omp_get_num_procs(); ++n)
        busy.emplace_back([&] {
            while (!enough) continue;
        });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60 * kPatience);
    while (!spinning.cores_are_shared() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool noticed = spinning.cores_are_shared();
    enough = true;
    EXPECT_TRUE(noticed);
}

}  // namespace
}  // namespace headroom
