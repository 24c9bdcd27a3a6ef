#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/cpu_features.h"
#include "core/base/dtype.h"
#include "core/cpu/amx_tiles.h"
#include "core/cpu/vectors.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

// Products of small matrices by one thread, for kernels that make their operands themselves and
// lay them out as the processor multiplies them. Sums are formed in A, the accumulator type, term
// after term along the depth k, so that they do not depend on how a product is cut into tiles.
//
// The right factor [k, n] is interleaved: kDepthStep<E> rows lie element by element side by side,
// [k / step, n, step]. For float and double that is the plain row-major matrix, for bfloat16 the
// layout that its instructions take. The left factor [m, k] has rows, or is interleaved too, as the
// transpose of a [k, m] matrix. n is a number of whole vectors, k one of whole steps, of which a
// tile of AMX takes 16: who makes the operands fills them up with zeros.

namespace headroom {

/// What products of stored T are formed from: bfloat16 itself where the kernels are compiled for a
/// processor that multiplies it, otherwise the accumulator type.
#if defined(__AVX512BF16__)
template <class T>
using factor_t = T;
#else
template <class T>
using factor_t = accumulator_t<T>;
#endif

/// Terms that one instruction multiplies and adds.
template <class E>
inline constexpr int64_t kDepthStep = std::is_same_v<E, bf16> ? 2 : 1;

/// count, filled up to whole vectors of sums.
template <class E>
constexpr int64_t whole_vectors(int64_t count) {
    constexpr int64_t lanes = kLanes<accumulator_t<E>>;
    return (count + lanes - 1) / lanes * lanes;
}
/// Whether products of E may be formed in tiles of AMX, if the operating system allows it.
template <class E>
inline constexpr bool kAmxTiles = kAmxBuilt&& std::is_same_v<E, bf16>;

/// depth, filled up as products want it: to whole steps or, where there may be tiles, to those.
template <class E>
constexpr int64_t whole_steps(int64_t depth) {
    constexpr int64_t whole = kAmxTiles<E> ? kAmxDepth : kDepthStep<E>;
    return (depth + whole - 1) / whole * whole;
}

/// Rows of a group, of which the same part is wanted.
template <class E>
inline constexpr int64_t kProductRows = kAmxTiles<E> ? 2 * kAmxRows : 8;
/// Rows and, at most, vectors of a tile of sums: with a row of factors they fit into the registers.
inline constexpr int64_t kSumRows = kVectorRegisters >= 32 ? 8 : 4, kSumVectors = 3;

/// kLanes columns of a right factor, one step deep.
template <class A>
struct FactorVector {
    Vector<A> numbers;

    FactorVector() = default;
    explicit FactorVector(const A* interleaved) : numbers(load_vector(interleaved)) {}
    /// Of a plain matrix: from one row, and of two that the step takes from the next one too.
    template <class T>
    FactorVector(const T* row, const T*) : numbers(load_vector(row)) {}

    void store(A* interleaved) const { store_vector<A>(interleaved, numbers); }
    void keep() { keep_in_register(numbers); }
    /// sum += x times them; `x` points to one step of a row of the left factor.
    void add_product(const A* x, Vector<A>& sum) const { sum += *x * numbers; }
    /// sum += lane by lane, `x` a vector of steps.
    void add_products(const A* x, Vector<A>& sum) const { sum += load_vector(x) * numbers; }
};
#if defined(__AVX512BF16__)
template <>
struct FactorVector<bf16> {
    __m512bh pairs;

    FactorVector() = default;
    explicit FactorVector(const bf16* interleaved)
        : pairs(std::bit_cast<__m512bh>(_mm512_loadu_si512(interleaved))) {}
    FactorVector(const bf16* row, const bf16* next)
        : pairs(pairs_of(row, next, std::make_integer_sequence<int, kLanes<float>>{})) {}

    /// Of as many columns again of two rows: whole lines are read, not half of each at a time.
    static std::pair<FactorVector, FactorVector> neighbours(const bf16* row, const bf16* next) {
        constexpr auto lanes = std::make_integer_sequence<int, kLanes<float>>{};
        const Line x = line_of(row), y = line_of(next);
        return {half_of<0>(x, y, lanes), half_of<static_cast<int>(kLanes<float>)>(x, y, lanes)};
    }

    void store(bf16* interleaved) const {
        _mm512_storeu_si512(interleaved, std::bit_cast<__m512i>(pairs));
    }
    void keep() { keep_in_register(pairs); }
    void add_product(const bf16* x, Vector<float>& sum) const {
        int pair;
        std::memcpy(&pair, x, sizeof(pair));
        add(std::bit_cast<__m512bh>(_mm512_set1_epi32(pair)), sum);
    }
    void add_products(const bf16* x, Vector<float>& sum) const {
        add(std::bit_cast<__m512bh>(_mm512_loadu_si512(x)), sum);
    }

  private:
    using Line [[gnu::vector_size(kVectorBytes)]] = uint16_t;
    static Line line_of(const bf16* row) {
        Line line;
        std::memcpy(&line, row, sizeof(line));
        return line;
    }
    template <int kFirst, int... kLane>
    static FactorVector half_of(Line x, Line y, std::integer_sequence<int, kLane...>) {
        constexpr int n = 2 * static_cast<int>(kLanes<float>);
        constexpr auto lane = [](int l) { return kFirst + l / 2 + l % 2 * n; };
        FactorVector half;
        half.pairs = std::bit_cast<__m512bh>(
            __builtin_shufflevector(x, y, lane(kLane)..., lane(kLane + n / 2)...));
        return half;
    }
    template <int... kLane>
    static __m512bh pairs_of(const bf16* row, const bf16* next,
                             std::integer_sequence<int, kLane...>) {
        using Half [[gnu::vector_size(kVectorBytes / 2)]] = uint16_t;
        Half x, y;
        std::memcpy(&x, row, sizeof(x));
        std::memcpy(&y, next, sizeof(y));
        constexpr auto lane = [](int l) { return l / 2 + l % 2 * static_cast<int>(kLanes<float>); };
        return std::bit_cast<__m512bh>(__builtin_shufflevector(
            x, y, lane(kLane)..., lane(kLane + static_cast<int>(kLanes<float>))...));
    }
    void add(__m512bh x, Vector<float>& sum) const {
        sum = std::bit_cast<Vector<float>>(_mm512_dpbf16_ps(std::bit_cast<__m512>(sum), x, pairs));
    }
};
#endif

/// A left factor whose row i begins at data + i stride.
template <class E>
struct RowFactor {
    const E* data = nullptr;
    int64_t stride = 0;

    const E* at(int64_t i, int64_t step) const { return data + i * stride + step * kDepthStep<E>; }
    RowFactor from(int64_t row) const { return {data + row * stride, stride}; }
};

/// A left factor that is the transpose of an interleaved matrix of `stride` columns. As a right
/// factor: that matrix.
template <class E>
struct InterleavedFactor {
    const E* data = nullptr;
    int64_t stride = 0;

    const E* at(int64_t i, int64_t step) const {
        return data + (step * stride + i) * kDepthStep<E>;
    }
};

/// One tile: sums [kRows, kVectors] from row i and column j on, over `steps` steps from `first` on.
template <int64_t kRows, int64_t kVectors, class E, class Left>
[[gnu::noinline]] void product_tile(Left left, InterleavedFactor<E> right, int64_t i, int64_t j,
                                    int64_t first, int64_t steps, accumulator_t<E>* sums,
                                    int64_t ldc, bool add) {
    using A = accumulator_t<E>;
    Vector<A> acc[kRows][kVectors];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) acc[r][v] = Vector<A>{};
    for (int64_t l = first; l < first + steps; ++l) {
        const E* row = right.at(j, l);
        FactorVector<E> columns[kVectors];
        for (int64_t v = 0; v < kVectors; ++v) {
            columns[v] = FactorVector<E>(row + v * kLanes<A> * kDepthStep<E>);
            columns[v].keep();
        }
        for (int64_t r = 0; r < kRows; ++r)
            for (int64_t v = 0; v < kVectors; ++v)
                columns[v].add_product(left.at(i + r, l), acc[r][v]);
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) {
            A* to = sums + r * ldc + v * kLanes<A>;
            store_vector<A>(to, add ? load_vector(to) + acc[r][v] : acc[r][v]);
        }
}

/// Which part of a product a group of rows takes: columns [0, n), depth [from, to).
struct ProductReach {
    int64_t n, from, to;
};

#if HEADROOM_AMX
/// tile_product in tiles of AMX.
template <class Reach>
void amx_product(int64_t m, const RowFactor<bf16>& left, const InterleavedFactor<bf16>& right,
                 float* c, int64_t ldc, bool add, Reach&& reach) {
    constexpr int64_t group_rows = kProductRows<bf16>;
    for (int64_t i = 0; i < m; i += group_rows) {
        const ProductReach r = reach(i);
        const int64_t step = r.from / kDepthStep<bf16>;
        amx_rows({left.at(i, step), right.at(0, step), c + i * ldc,
                  left.stride * static_cast<int64_t>(sizeof(bf16)),
                  right.stride * kDepthStep<bf16> * static_cast<int64_t>(sizeof(bf16)),
                  ldc * static_cast<int64_t>(sizeof(float)),
                  (r.to - r.from + kAmxDepth - 1) / kAmxDepth, add},
                 std::min(group_rows, m - i), whole_vectors<bf16>(r.n));
    }
}
#endif

/// c [m, n] = left right, or c += it; c has row stride ldc. `reach(i)` says for each group of
/// kProductRows<E> rows from i on what of it is wanted; the rest is neither read nor written.
/// `from` is whole_steps, `to` is filled up to them and n to whole vectors.
template <class E, class Left, class Reach>
void tile_product(int64_t m, const Left& left, InterleavedFactor<E> right, accumulator_t<E>* c,
                  int64_t ldc, bool add, Reach&& reach) {
#if HEADROOM_AMX
    if constexpr (kAmxTiles<E> && std::is_same_v<Left, RowFactor<E>>)
        if (may_use_amx()) return amx_product(m, left, right, c, ldc, add, reach);
#endif
    constexpr int64_t lanes = kLanes<accumulator_t<E>>, step = kDepthStep<E>;
    const auto rows_of_tile = [&]<int64_t kRows>(int64_t i, const ProductReach& r) {
        const int64_t first = r.from / step, steps = (r.to + step - 1) / step - first;
        for (int64_t vectors = whole_vectors<E>(r.n) / lanes, j = 0; vectors > 0;) {
            // Evenly cut: four vectors are two and two.
            const int64_t tiles = (vectors + kSumVectors - 1) / kSumVectors;
            const int64_t take = (vectors + tiles - 1) / tiles;
            accumulator_t<E>* sums = c + i * ldc + j;
            if (take == 3)
                product_tile<kRows, 3>(left, right, i, j, first, steps, sums, ldc, add);
            else if (take == 2)
                product_tile<kRows, 2>(left, right, i, j, first, steps, sums, ldc, add);
            else
                product_tile<kRows, 1>(left, right, i, j, first, steps, sums, ldc, add);
            j += take * lanes;
            vectors -= take;
        }
    };
    for (int64_t group = 0; group < m; group += kProductRows<E>) {
        const ProductReach r = reach(group);
        const int64_t end = std::min(group + kProductRows<E>, m);
        int64_t i = group;
        for (; i + kSumRows <= end; i += kSumRows) rows_of_tile.template operator()<kSumRows>(i, r);
        if (kSumRows > 4 && end - i >= 4) rows_of_tile.template operator()<4>(i, r), i += 4;
        for (; i < end; ++i) rows_of_tile.template operator()<1>(i, r);
    }
}

/// The unit that is moved when a matrix is transposed into a right factor: one step of a column.
template <class E>
using StepUnit = std::conditional_t<sizeof(E) * kDepthStep<E> == 8, uint64_t, uint32_t>;

namespace transposing {

template <class U, int kApart>
[[gnu::always_inline]] inline void exchange(Vector<U> (&rows)[kLanes<U>]) {
    if constexpr (kApart < kLanes<U>) {
        constexpr auto lanes = std::make_integer_sequence<int, kLanes<U>>{};
        for (int i = 0; i < kLanes<U>; ++i) {
            if ((i & kApart) != 0) continue;
            const Vector<U> a = rows[i], b = rows[i + kApart];
            rows[i] = half_of_squares<U, kApart, false>(a, b, lanes);
            rows[i + kApart] = half_of_squares<U, kApart, true>(a, b, lanes);
        }
        exchange<U, kApart * 2>(rows);
    }
}

}  // namespace transposing

/// The transpose of a square of kLanes<U> x kLanes<U> units, rows `from_stride` and `to_stride`
/// units apart.
template <class U>
void transpose_square(const U* from, int64_t from_stride, U* to, int64_t to_stride) {
    Vector<U> rows[kLanes<U>];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes<U>; ++i) rows[i] = load_vector(from + i * from_stride);
    transposing::exchange<U, 1>(rows);
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes<U>; ++i) store_vector(to + i * to_stride, rows[i]);
}

}  // namespace headroom
