#include "cuda/device/examine_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/emulated_runtime.h"

namespace headroom::cuda {
namespace {

using testing::HasSubstr;

TEST(ExamineCuda, ListsWhatTheDriverShows) {
    const CudaReport report = examine_cuda();
    EXPECT_EQ(report.toolkit, "13.0");
    EXPECT_EQ(report.driver, "13.0");
    EXPECT_EQ(report.problem, "");
    ASSERT_EQ(report.gpus.size(), 1u);
    EXPECT_EQ(report.gpus[0].name, "emulated");
    EXPECT_EQ(report.gpus[0].memory_bytes, int64_t{1} << 33);
    EXPECT_EQ(report.gpus[0].major, 8);
}

TEST(ExamineCuda, SaysWhatIsMissing) {
    {
        const NoDevice no_driver(false);
        const CudaReport report = examine_cuda();
        EXPECT_EQ(report.driver, "");
        EXPECT_THAT(report.problem, HasSubstr("driver version is insufficient"));
        EXPECT_TRUE(report.gpus.empty());
    }
    const NoDevice no_device(true);
    const CudaReport report = examine_cuda();
    EXPECT_EQ(report.driver, "13.0");
    EXPECT_THAT(report.problem, HasSubstr("no CUDA-capable device"));
}

TEST(ExamineCuda, OpeningADeviceSaysTheSame) {
    const NoDevice no_device(true);
    try {
        make_emulated_cuda_device();
        FAIL() << "there is none";
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no CUDA-capable device"));
    }
}

}  // namespace
}  // namespace headroom::cuda
