#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor/kernel_findings.h"
#include "core/cpu/amx_product.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using Status = Finding::Status;

/// A processor with everything, a build for it and a system that gives it.
KernelState with_tiles() {
    return {.has_avx512 = true,
            .has_bf16 = true,
            .has_amx = true,
            .built_avx512 = true,
            .built_bf16 = true,
            .built_amx = true,
            .may_use_amx = true,
            .onednn = OneDnnKernels::kAmx};
}

TEST(DoctorKernels, AProcessorWithTilesNeedsNothing) {
    const auto findings = kernel_findings(with_tiles());
    ASSERT_EQ(findings.size(), 2u);
    EXPECT_EQ(findings[0].value,
              "large products in AMX tiles, others by oneDNN (AVX-512), attention and decoding "
              "AVX-512");
    EXPECT_EQ(findings[1].value, "AMX tiles; decoding of up to four rows AVX-512 BF16");
    for (const Finding& finding : findings) EXPECT_EQ(finding.hint, "");
}

TEST(DoctorKernels, APortableBuildSaysWhatItLeavesOut) {
    KernelState state = with_tiles();
    state.built_avx512 = state.built_bf16 = state.built_amx = false;
    state.onednn = OneDnnKernels::kBf16;
    const auto findings = kernel_findings(state);
    EXPECT_THAT(findings[0].value, HasSubstr("without AVX-512"));
    EXPECT_THAT(findings[1].value, HasSubstr("widened to float32"));
    for (const Finding& finding : findings)
        EXPECT_THAT(finding.hint, HasSubstr("-DHEADROOM_MARCH=native"));
}

TEST(DoctorKernels, TilesThatNobodyUsesAreNamed) {
    KernelState state = with_tiles();
    state.may_use_amx = false;
    EXPECT_THAT(kernel_findings(state)[1].hint, HasSubstr("operating system"));
    state = with_tiles();
    state.built_amx = false;
    EXPECT_THAT(kernel_findings(state)[1].hint, HasSubstr("-DHEADROOM_MARCH=native"));
    EXPECT_THAT(kernel_findings(state)[1].value, HasSubstr("oneDNN (AMX tiles)"));
}

TEST(DoctorKernels, WithoutProductsOfBfloat16ThatIsFine) {
    const auto findings = kernel_findings({});
    EXPECT_EQ(findings[1].status, Status::kOptional);
    EXPECT_THAT(findings[1].hint, HasSubstr("float32"));
    EXPECT_THAT(findings[0].value, HasSubstr("AVX2"));
}

TEST(DoctorKernels, OfThisMachineAgreeWithWhatTrainingTakes) {
    const KernelState state = examine_kernel_state();
    EXPECT_EQ(state.has_bf16, CpuGemm::native_bf16());
    EXPECT_TRUE(state.has_bf16 || !state.built_bf16);
    EXPECT_EQ(state.built_amx && state.may_use_amx, AmxProduct::usable());
}

}  // namespace
}  // namespace headroom
