// bfloat16 products in the processor's own tiles, against three loops.
#include "core/cpu/amx_product.h"

#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/base/philox.h"

namespace headroom {
namespace {

class AmxProductTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!AmxProduct::usable())
            GTEST_SKIP() << "this processor, system or build has no tiles of bfloat16";
    }

    static std::vector<bf16> some_halves(int64_t count, uint32_t seed) {
        std::vector<bf16> numbers;
        numbers.reserve(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i)
            numbers.emplace_back(static_cast<float>(
                Philox::block({static_cast<uint32_t>(i), 0, 0, 0}, seed, 2)[0] * 0x1p-31 - 1));
        return numbers;
    }

    /// Rows have room for some numbers more than they hold.
    static GemmShape shape(int64_t m, int64_t n, int64_t k, int kind) {
        const bool a = (kind & 1) != 0, b = (kind & 2) != 0;
        return {m, n, k, a, b, (a ? m : k) + 3, (b ? k : n) + 1, n + 2, (kind & 4) != 0};
    }

    /// Sums of whole numbers are exact in every order.
    void expect_exact(const GemmShape& s) {
        const auto whole = [](int64_t count, int64_t factor) {
            std::vector<bf16> numbers;
            for (int64_t i = 0; i < count; ++i)
                numbers.emplace_back(static_cast<float>(i * factor % 11 - 5));
            return numbers;
        };
        const auto a = whole((s.a_transposed ? s.k : s.m) * s.lda, 7),
                   b = whole((s.b_transposed ? s.n : s.k) * s.ldb, 3);
        std::vector<float> c(static_cast<size_t>(s.m * s.ldc), 3), expected = c;
        product_.run(s, a.data(), b.data(), c.data());
        for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j) {
                float sum = s.accumulate ? 3 : 0;
                for (int64_t l = 0; l < s.k; ++l)
                    sum += static_cast<float>(a[at(s.a_transposed, i, l, s.lda)]) *
                           static_cast<float>(b[at(s.b_transposed, l, j, s.ldb)]);
                expected[static_cast<size_t>(i * s.ldc + j)] = sum;
            }
        EXPECT_EQ(c, expected) << s.m << " x " << s.n << " x " << s.k << ", transposed "
                               << s.a_transposed << s.b_transposed;
    }
    static size_t at(bool transposed, int64_t row, int64_t column, int64_t stride) {
        return static_cast<size_t>(transposed ? column * stride + row : row * stride + column);
    }

    AmxProduct product_;
};

TEST_F(AmxProductTest, EqualsThreeLoopsAtEveryEdge) {
    for (int kind = 0; kind < 8; ++kind)
        for (const int64_t m : {1, 31, 32, 65})
            for (const int64_t n : {1, 33, 128, 130})
                for (const int64_t k : {1, 32, 47}) expect_exact(shape(m, n, k, kind));
}

TEST_F(AmxProductTest, EqualsThreeLoopsBeyondEveryBlock) {
    for (int kind = 0; kind < 8; ++kind) {
        expect_exact(shape(40, 70, 4200, kind));
        expect_exact(shape(2090, 40, 33, kind));
    }
}

/// Every other shape of result, sums that are kept for the rest of the depth included.
TEST_F(AmxProductTest, RoundsTheSumOnceAndLeavesTheGapsAlone) {
    for (int kind = 0; kind < 8; ++kind)
        for (const int64_t k : {20, 1600, 4100}) {
            const GemmShape s = shape(45, 37, k, kind);
            const auto a = some_halves((s.a_transposed ? s.k : s.m) * s.lda, 1),
                       b = some_halves((s.b_transposed ? s.n : s.k) * s.ldb, 2),
                       before = some_halves(s.m * s.ldc, 3);
            std::vector<bf16> half = before;
            std::vector<float> full(static_cast<size_t>(s.m * s.ldc), 0);
            GemmShape alone = s;
            alone.accumulate = false;
            product_.run(s, a.data(), b.data(), half.data());
            product_.run(alone, a.data(), b.data(), full.data());
            for (int64_t i = 0; i < s.m; ++i)
                for (int64_t j = 0; j < s.ldc; ++j) {
                    const auto e = static_cast<size_t>(i * s.ldc + j);
                    const float old = before[e];
                    const bf16 expected(j >= s.n ? old : s.accumulate ? old + full[e] : full[e]);
                    ASSERT_EQ(half[e].bits, expected.bits)
                        << kind << " " << k << ": " << i << ", " << j;
                }
        }
}

/// More rows than are summed at once, each over more than is packed at once.
TEST_F(AmxProductTest, RoundsManyLongSums) {
    const GemmShape s{2080, 3, 4100, false, false, 4100, 3, 3, false};
    const std::vector<bf16> a(static_cast<size_t>(s.m * s.k), bf16(1.0f)),
        b(static_cast<size_t>(s.k * s.n), bf16(2.0f));
    std::vector<bf16> c(static_cast<size_t>(s.m * s.n));
    product_.run(s, a.data(), b.data(), c.data());
    for (const bf16 sum : c) ASSERT_EQ(sum.bits, bf16(8200.0f).bits);
}

TEST_F(AmxProductTest, GivesTheSameBitsForAnyNumberOfThreads) {
    const GemmShape s = shape(300, 200, 1700, 5);
    const auto a = some_halves(s.k * s.lda, 4), b = some_halves(s.k * s.ldb, 5);
    const int threads = omp_get_max_threads();
    std::vector<bf16> first;
    for (const int count : {1, 2, 3, 7}) {
        omp_set_num_threads(count);
        auto c = some_halves(s.m * s.ldc, 6);
        product_.run(s, a.data(), b.data(), c.data());
        if (first.empty()) first = c;
        for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i].bits, first[i].bits) << count;
    }
    omp_set_num_threads(threads);
}

}  // namespace
}  // namespace headroom
