// What --device auto asks of a GPU before it takes it.
#include <gtest/gtest.h>

#include "core/train/device_check.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

TEST(CudaCheck, TheDeviceTrainsAsTheCpu) {
    std::string why_not;
    const auto device = tested_cuda_device(why_not);
    if (!device) GTEST_SKIP() << why_not;
    EXPECT_EQ(difference_from_cpu(*device), "");
}

}  // namespace
}  // namespace headroom
