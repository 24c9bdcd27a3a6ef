#include "core/base/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

TEST(CpuFeatures, AProcessorThatLacksWhatTheKernelsUseIsRefusedByName) {
    try {
        check_cpu_features({{"avx2", true, true}, {"avx512f", true, false}});
        FAIL() << "nothing was thrown";
    } catch (const EnvironmentError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("lacks: avx512f; build it here"));
    }
}

TEST(CpuFeatures, WhatTheKernelsDoNotUseMayBeMissing) {
    EXPECT_NO_THROW(check_cpu_features({{"avx2", true, true}, {"avx512f", false, false}}));
    EXPECT_NO_THROW(check_cpu_features());
}

}  // namespace
}  // namespace headroom
