#include "panels/base/latest_task.h"

#include <atomic>
#include <future>
#include <stdexcept>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(LatestTask, OneThatFailsDoesNotEndTheProgramOrTheTask) {
    std::promise<int> answer;
    std::atomic<int> begun = 0;
    LatestTask<int, int> task(
        [&](const int& request) {
            ++begun;
            if (request < 0) throw std::runtime_error("no such thing");
            return 2 * request;
        },
        [&](int result) { answer.set_value(result); });
    testing::internal::CaptureStderr();
    task.request(-1);
    while (begun == 0) std::this_thread::yield();
    task.request(21);
    EXPECT_EQ(answer.get_future().get(), 42);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no such thing"), std::string::npos);
}

}  // namespace
}  // namespace headroom
