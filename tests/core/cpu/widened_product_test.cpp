// bfloat16 products where the processor has none.
#include "core/cpu/widened_product.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/base/philox.h"

namespace headroom {
namespace {

std::vector<bf16> some_halves(int64_t count, uint32_t seed) {
    std::vector<bf16> numbers;
    for (int64_t i = 0; i < count; ++i)
        numbers.emplace_back(static_cast<float>(
            Philox::block({static_cast<uint32_t>(i), 0, 0, 0}, seed, 2)[0] * 0x1p-31 - 1));
    return numbers;
}

/// Rows have room for one number more than they hold.
GemmShape gapped_shape(bool a_transposed, bool b_transposed, bool accumulate) {
    const int64_t m = 5, n = 7, k = 6;
    return {m,
            n,
            k,
            a_transposed,
            b_transposed,
            (a_transposed ? m : k) + 1,
            (b_transposed ? k : n) + 1,
            n + 1,
            accumulate};
}

double exact(const GemmShape& s, const std::vector<bf16>& a, const std::vector<bf16>& b,
             int64_t row, int64_t column) {
    double sum = 0;
    for (int64_t i = 0; i < s.k; ++i)
        sum += static_cast<double>(a[s.a_transposed ? i * s.lda + row : row * s.lda + i]) *
               b[s.b_transposed ? column * s.ldb + i : i * s.ldb + column];
    return sum;
}

TEST(WidenedProduct, IsTheSumRoundedOnceAndLeavesTheGapsAlone) {
    WidenedProduct product;
    for (int kind = 0; kind < 8; ++kind) {
        const GemmShape s = gapped_shape((kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0);
        const std::vector<bf16> a = some_halves(60, 1), b = some_halves(60, 2),
                                before = some_halves(s.m * s.ldc, 3);
        std::vector<bf16> half = before;
        std::vector<float> full(before.begin(), before.end());
        product.run(s, a.data(), b.data(), half.data());
        product.run(s, a.data(), b.data(), full.data());
        for (int64_t row = 0; row < s.m; ++row) {
            for (int64_t column = 0; column < s.n; ++column) {
                const auto at = static_cast<size_t>(row * s.ldc + column);
                const double expected =
                    exact(s, a, b, row, column) + (s.accumulate ? before[at] : 0.0f);
                EXPECT_NEAR(full[at], expected, 1e-6) << kind;
                EXPECT_EQ(half[at].bits, bf16(full[at]).bits) << kind;
            }
            const auto gap = static_cast<size_t>(row * s.ldc + s.n);
            EXPECT_EQ(half[gap].bits, before[gap].bits);
            EXPECT_EQ(full[gap], static_cast<float>(before[gap]));
        }
    }
}

}  // namespace
}  // namespace headroom
