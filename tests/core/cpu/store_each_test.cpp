// Rounding whole vectors gives what rounding each number gives.
#include "core/cpu/store_each.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/philox.h"

namespace headroom {
namespace {

TEST(StoreEach, RoundsAsOneNumberIsRounded) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> x = {0.0f, -0.0f, kInfinity, -kInfinity, 1.00390625f, 1.01171875f, 3.4e38f};
    for (uint32_t i = 0; i < 1000; ++i) {
        const auto number = std::bit_cast<float>(Philox::block({i, 0, 0, 0}, 1, 2)[0]);
        if (std::isnormal(number)) x.push_back(number);
    }
    const auto count = static_cast<int64_t>(x.size());
    std::vector<bf16> y(x.size() + 1, bf16(7.0f));
    store_each(
        y.data(), 3, count, [&](int64_t i) __attribute__((always_inline)) { return x[i]; });
    for (size_t i = 0; i < y.size(); ++i)
        EXPECT_EQ(y[i].bits, i < 3 || i == x.size() ? bf16(7.0f).bits : bf16(x[i]).bits) << x[i];
}

TEST(StoreEach, KeepsNaN) {
    std::vector<float> x(40, std::numeric_limits<float>::quiet_NaN());
    std::vector<bf16> y(40);
    store_rounded(x.data(), 40, y.data());
    for (const bf16 number : y) EXPECT_TRUE(std::isnan(static_cast<float>(number)));
}

TEST(StoreEach, MayReadWhatItOverwrites) {
    std::vector<bf16> y;
    for (int i = 0; i < 600; ++i) y.emplace_back(static_cast<float>(i % 100));
    bf16* const numbers = y.data();
    store_each(
        numbers, 0, 600, [=](int64_t i) __attribute__((always_inline)) {
            return static_cast<float>(numbers[i]) + 1;
        });
    for (int i = 0; i < 600; ++i)
        EXPECT_EQ(static_cast<float>(y[static_cast<size_t>(i)]), static_cast<float>(i % 100 + 1));
}

}  // namespace
}  // namespace headroom
