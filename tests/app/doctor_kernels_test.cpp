#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor/kernel_findings.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using Status = Finding::Status;

TEST(DoctorKernels, AProcessorWithTilesNeedsNothing) {
    const auto findings = kernel_findings({true, true, true, true, true, OneDnnKernels::kAmx});
    ASSERT_EQ(findings.size(), 2u);
    EXPECT_EQ(findings[0].value, "products by oneDNN (AVX-512), attention and decoding AVX-512");
    EXPECT_EQ(findings[1].value,
              "products by oneDNN (AMX tiles), attention and decoding AVX-512 BF16");
    for (const Finding& finding : findings) EXPECT_EQ(finding.hint, "");
}

TEST(DoctorKernels, APortableBuildSaysWhatItLeavesOut) {
    const auto findings = kernel_findings({true, true, false, false, false, OneDnnKernels::kBf16});
    EXPECT_THAT(findings[0].value, HasSubstr("without AVX-512"));
    EXPECT_THAT(findings[1].value, HasSubstr("widened to float32"));
    for (const Finding& finding : findings)
        EXPECT_THAT(finding.hint, HasSubstr("-DHEADROOM_MARCH=native"));
}

TEST(DoctorKernels, TilesThatOneDnnDoesNotUseAreNamed) {
    const auto findings = kernel_findings({true, true, true, true, true, OneDnnKernels::kBf16});
    EXPECT_THAT(findings[1].hint, HasSubstr("AMX"));
}

TEST(DoctorKernels, WithoutProductsOfBfloat16ThatIsFine) {
    const auto findings =
        kernel_findings({false, false, false, false, false, OneDnnKernels::kAvx2});
    EXPECT_EQ(findings[1].status, Status::kOptional);
    EXPECT_THAT(findings[1].hint, HasSubstr("float32"));
    EXPECT_THAT(findings[0].value, HasSubstr("AVX2"));
}

TEST(DoctorKernels, OfThisMachineAgreeWithWhatTrainingTakes) {
    const KernelState state = examine_kernel_state();
    EXPECT_EQ(state.has_bf16, Bf16Gemm::native());
    EXPECT_TRUE(state.has_bf16 || !state.built_bf16);
}

}  // namespace
}  // namespace headroom
