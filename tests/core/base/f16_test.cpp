#include "core/base/f16.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

f16 of_bits(uint32_t bits) {
    f16 half;
    half.bits = static_cast<uint16_t>(bits);
    return half;
}

TEST(F16, GivesBackEveryValueThatItHolds) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float value = of_bits(bits);
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(static_cast<float>(f16(value)))) << bits;
        else
            EXPECT_EQ(f16(value).bits, bits);
    }
}

TEST(F16, RoundsToTheNearestAndTiesToEven) {
    // Halfway between two neighbours of every size, and a little to either side.
    for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const double low = static_cast<float>(of_bits(bits));
        const double high = static_cast<float>(of_bits(bits + 1));
        const auto middle = static_cast<float>((low + high) / 2);
        EXPECT_EQ(f16(middle).bits, bits % 2 == 0 ? bits : bits + 1);
        EXPECT_EQ(f16(std::nextafter(middle, 0.0f)).bits, bits);
        EXPECT_EQ(f16(std::nextafter(middle, 1e9f)).bits, bits + 1);
    }
}

TEST(F16, BecomesInfiniteBeyondItsRange) {
    EXPECT_EQ(f16(65519.0f).bits, 0x7bff);
    EXPECT_EQ(f16(65520.0f).bits, 0x7c00);
    EXPECT_EQ(f16(-1e30f).bits, 0xfc00);
    EXPECT_EQ(f16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
    EXPECT_EQ(f16(1e-30f).bits, 0);
}

}  // namespace
}  // namespace headroom
