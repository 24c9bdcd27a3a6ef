#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/dtype.h"
#include "core/cpu/vectors.h"

// The inner loops of skinny_gemm: tiles whose sums stay in registers.

namespace headroom {

inline constexpr int64_t kTileRows = 8;    ///< rows of A that a tile takes at most
inline constexpr int64_t kTileDepth = 32;  ///< rows of B that a tile takes at most

/// Vectors side by side in a tile of so many rows: half of the registers hold sums.
constexpr int64_t tile_vectors(int64_t rows) {
    const auto most = static_cast<uint64_t>(kVectorRegisters / 2 / rows);
    return std::clamp<int64_t>(static_cast<int64_t>(std::bit_floor(most)), 1, 8);
}

/// Asks the processor for the rows of a block, a few lines at each call: it does not foresee steps
/// from row to row, and what it did not foresee it waits for.
template <class T>
class FetchAhead {
  public:
    FetchAhead() = default;
    FetchAhead(const T* block, int64_t ldb, int64_t rows, int64_t columns)
        : row_(block), ldb_(ldb), rows_(rows), columns_(columns) {
        if (columns == ldb)
            columns_ *= std::max<int64_t>(rows, 0), rows_ = std::min<int64_t>(rows, 1);
    }

    void fetch(int64_t numbers) {
        constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
        for (; numbers > 0 && rows_ > 0; numbers -= kLine) {
            __builtin_prefetch(row_ + column_, 0, 2);  // into the second-level cache
            column_ += kLine;
            if (column_ < columns_) continue;
            column_ = 0;
            row_ += ldb_;
            --rows_;
        }
    }

  private:
    const T* row_ = nullptr;
    int64_t ldb_ = 0, rows_ = 0, columns_ = 0, column_ = 0;
};

/// Where nothing is fetched ahead.
struct FetchNothing {
    void fetch(int64_t) {}
};

/// sums[r, c] += sum over l of x[l, r] b[l, c] for kRows rows and kVectors vectors of columns;
/// b [depth, ..] with row stride ldb, x with ldx, sums with lds. With kCopy the numbers of b that
/// were read are also left in `copy`, one row after the other. Between rows, as much is fetched of
/// what `ahead` knows. A function of its own, as add_rows is.
template <int64_t kRows, int64_t kVectors, bool kCopy, class T, class A, class Ahead>
[[gnu::noinline]] void add_tile(const A* x, int64_t ldx, const T* b, int64_t ldb, int64_t depth,
                                A* sums, int64_t lds, A* copy, Ahead& ahead) {
    Vector<A> acc[kRows][kVectors];
    for (int64_t r = 0; r < kRows; ++r)
        for (int64_t v = 0; v < kVectors; ++v)
            acc[r][v] = load_vector(sums + r * lds + v * kLanes<A>);
    for (int64_t l = 0; l < depth; ++l) {
        Vector<A> row[kVectors];
        ahead.fetch(kVectors * kLanes<A>);
        for (int64_t v = 0; v < kVectors; ++v) {
            row[v] = load_vector(b + l * ldb + v * kLanes<A>);
            if constexpr (kCopy) store_vector(copy + (l * kVectors + v) * kLanes<A>, row[v]);
        }
        for (int64_t r = 0; r < kRows; ++r)
            for (int64_t v = 0; v < kVectors; ++v) acc[r][v] += x[l * ldx + r] * row[v];
    }
    for (int64_t r = 0; r < kRows; ++r)
        for (int64_t v = 0; v < kVectors; ++v)
            store_vector(sums + r * lds + v * kLanes<A>, acc[r][v]);
}

/// sums[c] += sum over l of x[l] b[l, c], row after row of b: the sums go through the first-level
/// cache, and b comes in the order in which it lies. A function of its own, since what surrounds it
/// would take registers from it.
template <class T, class A>
[[gnu::noinline]] void add_rows(const T* x, const T* b, int64_t ldb, int64_t rows, int64_t columns,
                                A* sums) {
    constexpr int64_t kAtOnce = 8 * kLanes<A>;
    for (int64_t l = 0; l < rows; ++l) {
        const A factor = static_cast<A>(x[l]);
        const T* row = b + l * ldb;
        int64_t c = 0;
        for (; c + kAtOnce <= columns; c += kAtOnce)
            for (int64_t at = c; at < c + kAtOnce; at += kLanes<A>)
                store_vector(sums + at, factor * load_vector(row + at) + load_vector(sums + at));
        for (; c + kLanes<A> <= columns; c += kLanes<A>)
            store_vector(sums + c, factor * load_vector(row + c) + load_vector(sums + c));
        for (; c < columns; ++c) sums[c] += factor * static_cast<A>(row[c]);
    }
}

/// What add_tile does, for fewer columns than a vector has.
template <class T, class A>
void add_scalars(const A* x, int64_t rows, const T* b, int64_t ldb, int64_t depth, int64_t columns,
                 A* sums, int64_t lds) {
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t l = 0; l < depth; ++l)
            for (int64_t c = 0; c < columns; ++c)
                sums[r * lds + c] += x[l * rows + r] * static_cast<A>(b[l * ldb + c]);
}

/// dots[n][r] = row n of b · row r of x over whole vectors, for kDots rows of b with row stride ldb
/// and kRows rows of x, whose vector i of row r begins at x + (i ldx + r) kLanes.
template <int64_t kRows, int64_t kDots, class T, class A>
[[gnu::noinline]] void dot_tile(const A* x, int64_t ldx, const T* b, int64_t ldb, int64_t vectors,
                                A (&dots)[kDots][kRows]) {
    Vector<A> acc[kDots][kRows] = {};
    for (int64_t i = 0; i < vectors; ++i) {
        Vector<A> row[kDots];
        for (int64_t n = 0; n < kDots; ++n) row[n] = load_vector(b + n * ldb + i * kLanes<A>);
        for (int64_t r = 0; r < kRows; ++r) {
            const Vector<A> from = load_vector(x + (i * ldx + r) * kLanes<A>);
            for (int64_t n = 0; n < kDots; ++n) acc[n][r] += from * row[n];
        }
    }
    for (int64_t n = 0; n < kDots; ++n)
        for (int64_t r = 0; r < kRows; ++r) dots[n][r] = sum_of_lanes<A>(acc[n][r]);
}

/// Calls f.template operator()<rows>(), rows from 1 to kTileRows.
template <class F>
void with_tile_rows(int64_t rows, F&& f) {
    switch (rows) {
        case 1:
            return f.template operator()<1>();
        case 2:
            return f.template operator()<2>();
        case 3:
            return f.template operator()<3>();
        case 4:
            return f.template operator()<4>();
        case 5:
            return f.template operator()<5>();
        case 6:
            return f.template operator()<6>();
        case 7:
            return f.template operator()<7>();
        default:
            return f.template operator()<8>();
    }
}

}  // namespace headroom
