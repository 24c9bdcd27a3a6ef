#include "core/cpu/dropout_mask.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(DropoutMask, VectorsMakeTheSameNumbersAsSingleBlocks) {
    const DropoutStream stream{.seed = 0x123456789abcdef, .step = 5, .micro = 1, .stream = 2};
    for (const uint64_t first : {uint64_t{0}, uint64_t{3}, uint64_t{61}, uint64_t{1} << 34}) {
        std::vector<float> kept(301);
        dropout_factors(stream, 0.25, first, 301, kept.data());
        for (size_t i = 0; i < kept.size(); ++i)
            ASSERT_EQ(kept[i], stream.word(first + i) >= 0x40000000u ? 1.0f / 0.75f : 0.0f);
    }
}

TEST(DropoutMask, DropsTheGivenFraction) {
    constexpr int64_t kCount = 1000000;
    std::vector<float> kept(kCount);
    dropout_factors({.seed = 9}, 0.2, 0, kCount, kept.data());
    const auto dropped = std::count(kept.begin(), kept.end(), 0.0f);
    EXPECT_NEAR(static_cast<double>(dropped), 0.2 * kCount, 5 * std::sqrt(0.16 * kCount));
}

}  // namespace
}  // namespace headroom
