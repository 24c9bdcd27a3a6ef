// Products of bfloat16 and float32 in the processor's own tiles, against three loops.
#include "core/cpu/amx_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/base/philox.h"

namespace headroom {
namespace {

/// Memory that begins with a line of the cache.
template <class T>
struct LineAllocator {
    using value_type = T;

    LineAllocator() = default;
    template <class U>
    explicit LineAllocator(const LineAllocator<U>&) {}
    T* allocate(size_t count) {
        return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* memory, size_t) { ::operator delete (memory, std::align_val_t{64}); }
    bool operator==(const LineAllocator&) const { return true; }
};

class AmxProductTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!AmxProduct::usable())
            GTEST_SKIP() << "this processor, system or build has no tiles of bfloat16";
    }

    /// Between -1 and 1.
    template <class E>
    static std::vector<E> some(int64_t count, uint32_t seed) {
        std::vector<E> numbers;
        numbers.reserve(static_cast<size_t>(count));
        for (uint32_t block = 0; std::ssize(numbers) < count; ++block)
            for (const uint32_t bits : Philox::block({block, 0, 0, 0}, seed, 2))
                if (std::ssize(numbers) < count)
                    numbers.emplace_back(static_cast<float>(bits * 0x1p-31 - 1));
        return numbers;
    }
    static std::vector<bf16> some_halves(int64_t count, uint32_t seed) {
        return some<bf16>(count, seed);
    }

    /// Rows have room for some numbers more than they hold.
    static GemmShape shape(int64_t m, int64_t n, int64_t k, int kind) {
        const bool a = (kind & 1) != 0, b = (kind & 2) != 0;
        return {m, n, k, a, b, (a ? m : k) + 3, (b ? k : n) + 1, n + 2, (kind & 4) != 0};
    }

    /// Sums of whole numbers are exact in every order.
    void expect_exact(const GemmShape& s) {
        expect_exact_of<bf16>(s);
        expect_exact_of<float>(s);
    }
    template <class E>
    void expect_exact_of(const GemmShape& s) {
        const auto whole = [](int64_t count, int64_t factor) {
            std::vector<E> numbers;
            for (int64_t i = 0; i < count; ++i)
                numbers.emplace_back(static_cast<float>(i * factor % 11 - 5));
            return numbers;
        };
        const auto a = whole((s.a_transposed ? s.k : s.m) * s.lda, 7),
                   b = whole((s.b_transposed ? s.n : s.k) * s.ldb, 3);
        std::vector<float> c(static_cast<size_t>(s.m * s.ldc), 3), expected = c;
        product_.run(s, a.data(), b.data(), c.data());
        const DenseFactors factors(s, a, b);
        for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j)
                expected[static_cast<size_t>(i * s.ldc + j)] =
                    static_cast<float>((s.accumulate ? 3 : 0) + factors.sum(i, j).of_terms);
        EXPECT_EQ(c, expected) << s.m << " x " << s.n << " x " << s.k << ", transposed "
                               << s.a_transposed << s.b_transposed;
    }

    /// Both factors in double, rows of the left one and columns of the right one in one piece.
    class DenseFactors {
      public:
        struct Sum {
            double of_terms = 0, of_magnitudes = 0;
        };

        template <class E>
        DenseFactors(const GemmShape& s, const std::vector<E>& a, const std::vector<E>& b)
            : depth_(s.k) {
            for (int64_t i = 0; i < s.m; ++i)
                for (int64_t l = 0; l < s.k; ++l)
                    left_.push_back(static_cast<double>(a[at(s.a_transposed, i, l, s.lda)]));
            for (int64_t j = 0; j < s.n; ++j)
                for (int64_t l = 0; l < s.k; ++l)
                    right_.push_back(static_cast<double>(b[at(s.b_transposed, l, j, s.ldb)]));
        }
        Sum sum(int64_t row, int64_t column) const {
            const double *left = left_.data() + row * depth_,
                         *right = right_.data() + column * depth_;
            Sum sum;
            for (int64_t l = 0; l < depth_; ++l) {
                const double term = left[l] * right[l];
                sum.of_terms += term, sum.of_magnitudes += std::abs(term);
            }
            return sum;
        }

      private:
        int64_t depth_;
        std::vector<double> left_, right_;
    };
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

TEST_F(AmxProductTest, EqualsThreeLoopsWhereAPartStaysPackedForSeveralTasks) {
    for (const int kind : {1, 5}) {
        expect_exact_of<bf16>(shape(37, 2090, 260, kind));
        expect_exact_of<bf16>(shape(2090, 37, 260, kind));
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

/// A weight's gradient: large enough to be stored past the cache, with edges and without, added to
/// what is there, deeper than what is multiplied at once, in lines and beside them.
TEST_F(AmxProductTest, TellsTheSquaredNormsOfWhatItStores) {
    struct Of {
        int64_t m, n, k, gap;
        bool add;
    };
    for (const Of& of : {Of{512, 384, 300, 0, false},
                         {480, 416, 1000, 0, false},
                         {512, 384, 40, 0, true},
                         {500, 390, 64, 0, false},
                         {33, 70, 20, 2, true},
                         {512, 384, 64, 1, false},
                         {320, 512, 5000, 16, false},
                         {64, 2048, 600, 0, false},
                         {2048, 64, 600, 0, true}}) {
        GemmShape s{of.m, of.n, of.k, true, false, of.m, of.n, of.n + of.gap, of.add};
        s.read_late = true;
        ASSERT_TRUE(AmxProduct::tells_squared_norms(s));
        const auto a = some_halves(s.m * s.k, 1), b = some_halves(s.n * s.k, 2);
        std::vector<float, LineAllocator<float>> c(static_cast<size_t>(s.m * s.ldc), 0.5f),
            plain = c;
        const int64_t across = (s.n + 31) / 32, down = (s.m + 31) / 32;
        std::vector<double> norms(static_cast<size_t>(across * down), -1), expected(norms.size());
        product_.run(s, a.data(), b.data(), c.data(), norms.data());
        s.read_late = false;
        product_.run(s, a.data(), b.data(), plain.data());
        EXPECT_EQ(c, plain);
        for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j) {
                const auto number = static_cast<double>(c[static_cast<size_t>(i * s.ldc + j)]);
                expected[static_cast<size_t>(i / 32 * across + j / 32)] += number * number;
            }
        for (size_t e = 0; e < norms.size(); ++e)
            ASSERT_NEAR(norms[e], expected[e], 1e-12 * expected[e]) << e << " of " << of.m;
    }
}

/// Whoever stores a block, and when, its norm is the same to the last bit.
TEST_F(AmxProductTest, TellsTheSameNormsOfAnyNumberOfThreads) {
    GemmShape s{512, 768, 256, true, false, 512, 768, 768, false};
    s.read_late = true;
    const auto a = some_halves(s.m * s.k, 1), b = some_halves(s.n * s.k, 2);
    std::vector<float, LineAllocator<float>> c(static_cast<size_t>(s.m * s.n));
    std::vector<double> norms(16 * 24), alone(norms.size());
    product_.run(s, a.data(), b.data(), c.data(), norms.data());
    const int threads = omp_get_max_threads();
    omp_set_num_threads(threads == 1 ? 3 : 1);
    product_.run(s, a.data(), b.data(), c.data(), alone.data());
    omp_set_num_threads(threads);
    EXPECT_EQ(norms, alone);
}

/// 2^exponent times a number with every digit in use, of either sign.
float with_all_digits(uint32_t seed, int exponent) {
    const uint32_t bits = Philox::block({seed, 7, 0, 0}, 3, 2)[0];
    const float magnitude = std::ldexp(static_cast<float>(bits >> 9 | 0x800001u), exponent - 24);
    return (bits & 1) != 0 ? -magnitude : magnitude;
}

/// The product with the unit matrix is the other factor, bit by bit, from either side.
TEST_F(AmxProductTest, CarriesEveryDigitOfFloat32) {
    constexpr int64_t n = 96;
    for (const int exponent : {-77, -1, 0, 60, 127}) {
        std::vector<float> unit(n * n, 0), numbers(n * n), c(n * n, -1);
        for (int64_t i = 0; i < n; ++i) unit[static_cast<size_t>(i * n + i)] = 1;
        for (size_t i = 0; i < numbers.size(); ++i)
            numbers[i] =
                with_all_digits(static_cast<uint32_t>(i), exponent - static_cast<int>(i % 25));
        for (const bool left : {false, true}) {
            product_.run({n, n, n, false, false, n, n, n, false},
                         left ? numbers.data() : unit.data(), left ? unit.data() : numbers.data(),
                         c.data());
            ASSERT_EQ(c, numbers) << exponent << (left ? " left" : " right");
        }
    }
}

/// Products of two numbers of twelve digits are exact in float32: all four of their parts count.
TEST_F(AmxProductTest, MultipliesTheMiddlePartsToo) {
    constexpr int64_t n = 64;
    const auto digits = [](size_t i, size_t by) {
        return static_cast<float>(2049 + i * by % 2047);
    };
    std::vector<float> a(n), b(n), c(n * n);
    for (size_t i = 0; i < n; ++i) a[i] = digits(i, 97), b[i] = -digits(i, 61);
    product_.run({n, n, 1, false, false, 1, n, n, false}, a.data(), b.data(), c.data());
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) ASSERT_EQ(c[i * n + j], a[i] * b[j]);
}

/// Closer to the sums in double than the float32 library's, for every kind of factor and depth.
TEST_F(AmxProductTest, LosesLessThanALibraryOfFloat32) {
    for (int kind = 0; kind < 8; ++kind)
        for (const int64_t k : {64, 700, 9000}) {
            const GemmShape s = shape(40, 50, k, kind);
            const auto a = some<float>((s.a_transposed ? s.k : s.m) * s.lda, 11),
                       b = some<float>((s.b_transposed ? s.n : s.k) * s.ldb, 12);
            std::vector<float> tiles(static_cast<size_t>(s.m * s.ldc), 0.25f), library = tiles;
            product_.run(s, a.data(), b.data(), tiles.data());
            gemm(s, a.data(), b.data(), library.data());
            double error = 0, library_error = 0, worst = 0;
            const DenseFactors factors(s, a, b);
            for (int64_t i = 0; i < s.m; ++i)
                for (int64_t j = 0; j < s.n; ++j) {
                    const double before = s.accumulate ? 0.25 : 0;
                    const DenseFactors::Sum terms = factors.sum(i, j);
                    const double sum = before + terms.of_terms;
                    const auto e = static_cast<size_t>(i * s.ldc + j);
                    error += std::pow(tiles[e] - sum, 2);
                    library_error += std::pow(library[e] - sum, 2);
                    worst =
                        std::max(worst, std::abs(tiles[e] - sum) / (before + terms.of_magnitudes));
                }
            EXPECT_LT(error, library_error) << "kind " << kind << ", k " << k;
            EXPECT_LT(worst, 0x1p-23) << "kind " << kind << ", k " << k;
        }
}

/// What is no number stays none, in its row and column alone; also if its bits are all ones.
TEST_F(AmxProductTest, KeepsWhatIsNoNumber) {
    constexpr int64_t n = 64;
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    for (const float bad : {nan, -infinity, infinity, std::bit_cast<float>(0xffffffffu)}) {
        std::vector<float> a(n * n, 1), b(n * n, 2), c(n * n);
        a[3 * n + 20] = bad;
        b[40 * n + 33] = bad;
        product_.run({n, n, n, false, false, n, n, n, false}, a.data(), b.data(), c.data());
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j)
                ASSERT_EQ(std::isfinite(c[static_cast<size_t>(i * n + j)]), i != 3 && j != 33);
    }
}

TEST_F(AmxProductTest, TakesLargeProductsOfFloat32Alone) {
    EXPECT_TRUE(AmxProduct::worth_it({2048, 384, 384}));
    EXPECT_TRUE(AmxProduct::worth_it({512, 50304, 768}));
    EXPECT_FALSE(AmxProduct::worth_it({64, 768, 768}));
    EXPECT_FALSE(AmxProduct::worth_it({0, 768, 768}));
}

TEST_F(AmxProductTest, GivesTheSameBitsOfFloat32ForAnyNumberOfThreads) {
    const GemmShape s = shape(300, 200, 1700, 5);
    const auto a = some<float>(s.k * s.lda, 4), b = some<float>(s.k * s.ldb, 5);
    const int threads = omp_get_max_threads();
    std::vector<float> first;
    for (const int count : {1, 2, 3, 7}) {
        omp_set_num_threads(count);
        auto c = some<float>(s.m * s.ldc, 6);
        product_.run(s, a.data(), b.data(), c.data());
        if (first.empty()) first = c;
        ASSERT_EQ(c, first) << count;
    }
    omp_set_num_threads(threads);
}

/// What a product leaves in lines of memory, bit by bit, gaps and the numbers around included.
template <class E>
std::vector<float> in_lines(AmxProduct& product, const GemmShape& s, const std::vector<E>& a,
                            const std::vector<E>& b) {
    constexpr size_t kLine = 64 / sizeof(float);
    const auto count = static_cast<size_t>(s.m * s.ldc) + kLine;
    std::vector<float> memory(count + kLine, -3);
    const auto at = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(float);
    const size_t first = (kLine - at % kLine) % kLine;
    product.run(s, a.data(), b.data(), memory.data() + first);
    return {memory.begin() + static_cast<std::ptrdiff_t>(first),
            memory.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

TEST_F(AmxProductTest, WhatIsReadLateHoldsTheSame) {
    constexpr int64_t m = 416, deepest = 1700;
    const auto expect_same = [&]<class E>(E) {
        const auto a = some<E>(m * deepest, 7), b = some<E>(deepest * 352, 8);
        for (const int kind : {0, 1, 2, 3})
            for (const int64_t k : {int64_t{40}, deepest}) {
                const bool transposed = (kind & 1) != 0;
                // Beyond one block of the depth whole squares alone are added in tiles.
                const int64_t n = k == deepest ? 352 : 342;
                GemmShape s{m, n, k, transposed, false, transposed ? m : k, n, 352, kind >= 2};
                const auto expected = in_lines(product_, s, a, b);
                s.read_late = true;
                ASSERT_EQ(in_lines(product_, s, a, b), expected) << kind << ", " << k << " deep";
            }
    };
    expect_same(bf16{});
    expect_same(float{});
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
