#include "core/cpu/tile_product.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

// Products of small matrices against three loops, at sizes that leave rests of every kind.

namespace headroom {
namespace {

template <class T>
class TileProduct : public testing::Test {
  protected:
    using E = factor_t<T>;
    using A = accumulator_t<E>;
    static constexpr int64_t kStep = kDepthStep<E>;

    /// Small whole numbers, so that every sum is exact in every type.
    static float number(int64_t i, int64_t j) {
        return static_cast<float>((i * 7 + j * 3) % 11 - 5);
    }

    /// left(i, l) as rows, or interleaved over the depth; right(l, j) interleaved.
    void fill(int64_t m, int64_t n, int64_t k) {
        m_ = m, n_ = whole_vectors<E>(n), k_ = whole_steps<E>(k);
        rows_.assign(static_cast<size_t>(m * k_), E{});
        columns_.assign(static_cast<size_t>(m * k_), E{});
        right_.assign(static_cast<size_t>(n_ * k_), E{});
        for (int64_t l = 0; l < k; ++l) {
            for (int64_t i = 0; i < m; ++i) {
                rows_[static_cast<size_t>(i * k_ + l)] = number(i, l);
                columns_[static_cast<size_t>((l / kStep * m + i) * kStep + l % kStep)] =
                    number(i, l);
            }
            for (int64_t j = 0; j < n; ++j)
                right_[static_cast<size_t>((l / kStep * n_ + j) * kStep + l % kStep)] =
                    number(l, j + 1);
        }
    }

    template <class Left>
    std::vector<A> product(Left left, const ProductReach& reach, bool add) const {
        std::vector<A> c(static_cast<size_t>(m_ * n_), A{1000});
        tile_product<E>(m_, left, {right_.data(), n_}, c.data(), n_, add,
                        [&](int64_t) { return reach; });
        return c;
    }

    void expect(const std::vector<A>& c, const ProductReach& reach, bool add) const {
        for (int64_t i = 0; i < m_; ++i)
            for (int64_t j = 0; j < reach.n; ++j) {
                double sum = add ? 1000 : 0;
                for (int64_t l = reach.from; l < reach.to; ++l)
                    sum += static_cast<double>(number(i, l)) * number(l, j + 1);
                ASSERT_EQ(static_cast<double>(c[static_cast<size_t>(i * n_ + j)]), sum)
                    << i << ", " << j << " of " << m_ << " x " << reach.n;
            }
    }

    int64_t m_ = 0, n_ = 0, k_ = 0;
    std::vector<E> rows_, columns_, right_;
};

using Types = testing::Types<float, double, bf16>;
TYPED_TEST_SUITE(TileProduct, Types);

TYPED_TEST(TileProduct, EqualsThreeLoops) {
    for (const int64_t m : {1, 3, 8, 13, 22, 35})
        for (const int64_t n : {1, 16, 40, 64, 97})
            for (const int64_t k : {1, 2, 7, 30, 70})
                for (const bool add : {false, true}) {
                    this->fill(m, n, k);
                    const ProductReach all{n, 0, k};
                    this->expect(
                        this->product(RowFactor<factor_t<TypeParam>>{this->rows_.data(), this->k_},
                                      all, add),
                        all, add);
                    this->expect(
                        this->product(
                            InterleavedFactor<factor_t<TypeParam>>{this->columns_.data(), m}, all,
                            add),
                        all, add);
                }
}

TYPED_TEST(TileProduct, KeepsToItsReach) {
    this->fill(9, 90, 100);
    const ProductReach part{20, 32, 64};  // whole tiles of the depth
    const auto c =
        this->product(RowFactor<factor_t<TypeParam>>{this->rows_.data(), this->k_}, part, false);
    this->expect(c, part, false);
    const int64_t written = whole_vectors<factor_t<TypeParam>>(part.n);
    for (int64_t i = 0; i < this->m_; ++i)
        for (int64_t j = written; j < this->n_; ++j)
            EXPECT_EQ(static_cast<double>(c[static_cast<size_t>(i * this->n_ + j)]), 1000.0);
}

TYPED_TEST(TileProduct, TransposesSquares) {
    using U = StepUnit<factor_t<TypeParam>>;
    constexpr int64_t n = kLanes<U>;
    std::vector<U> from(static_cast<size_t>(n * (n + 3))), to(static_cast<size_t>(n * (n + 5)));
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<U>(i);
    transpose_square(from.data(), n + 3, to.data(), n + 5);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            ASSERT_EQ(to[static_cast<size_t>(j * (n + 5) + i)],
                      from[static_cast<size_t>(i * (n + 3) + j)]);
}

template <class A, int64_t kCount>
void expect_sums_of_lanes() {
    Vector<A> v[kCount];
    for (int64_t i = 0; i < kCount; ++i)
        for (int64_t l = 0; l < kLanes<A>; ++l)
            v[i][l] = static_cast<A>(std::sin(static_cast<double>(1 + i * kLanes<A> + l)));
    A sums[kCount];
    sums_of_lanes<A, kCount>(v, sums);
    for (int64_t i = 0; i < kCount; ++i)
        EXPECT_EQ(sums[i], sum_of_lanes<A>(v[i])) << i << " of " << kCount;
}

/// Any count, more vectors than lanes included, and the very same bits.
TEST(SumsOfLanes, AreThoseOfEachVectorAlone) {
    [&]<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
        (expect_sums_of_lanes<float, kLess + 1>(), ...);
        (expect_sums_of_lanes<double, kLess + 1>(), ...);
    }
    (std::make_integer_sequence<int64_t, 17>{});
}

}  // namespace
}  // namespace headroom
