#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/dtype.h"
#include "core/cpu/tile_product.h"

// The inner loops of skinny_gemm: tiles whose sums stay in registers.

namespace headroom {

inline constexpr int64_t kTileRows = 8;    ///< rows of A that a tile takes at most
inline constexpr int64_t kTileDepth = 32;  ///< rows of B that a tile takes at most

/// Numbers from a row of sums to the next. Rows that lie a power of two apart, as they do where n
/// is 1024 or 3072, displace each other and what is read beside them from the first-level cache.
constexpr int64_t sums_stride(int64_t n) {
    return n + 32;
}

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

/// sums[r, c] += sum over l of x[l, r] b[l, c] for kRows rows and kVectors vectors of columns;
/// b [depth, ..] with row stride ldb, x interleaved with ldx, sums with lds. With kCopy the numbers
/// of b that were read are also left in `copy`, as a right factor of kVectors vectors. Between
/// rows, as much is fetched of what `ahead` knows. A function of its own, as add_rows is.
template <int64_t kRows, int64_t kVectors, bool kCopy, class E, class T, class Ahead>
[[gnu::noinline]] void add_tile(InterleavedFactor<E> x, const T* b, int64_t ldb, int64_t depth,
                                accumulator_t<E>* sums, int64_t lds, E* copy, Ahead& ahead) {
    using A = accumulator_t<E>;
    constexpr int64_t step = kDepthStep<E>;
    Vector<A> acc[kRows][kVectors];
    for (int64_t r = 0; r < kRows; ++r)
        for (int64_t v = 0; v < kVectors; ++v)
            acc[r][v] = load_vector(sums + r * lds + v * kLanes<A>);
    for (int64_t l = 0; l < depth; l += step) {
        ahead.fetch(step * kVectors * kLanes<A>);
        // An odd last row meets a zero of x in its own place.
        const T *row = b + l * ldb, *next = l + 1 < depth ? row + ldb : row;
        FactorVector<E> columns[kVectors];
        for (int64_t v = 0; v < kVectors; ++v) {
            columns[v] = FactorVector<E>(row + v * kLanes<A>, next + v * kLanes<A>);
            if constexpr (kCopy) columns[v].store(copy + (l * kVectors + v * step) * kLanes<A>);
        }
        for (int64_t r = 0; r < kRows; ++r)
            for (int64_t v = 0; v < kVectors; ++v)
                columns[v].add_product(x.at(r, l / step), acc[r][v]);
    }
    for (int64_t r = 0; r < kRows; ++r)
        for (int64_t v = 0; v < kVectors; ++v)
            store_vector(sums + r * lds + v * kLanes<A>, acc[r][v]);
}

/// A range of rows or columns.
struct RowRange {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
};

/// Calls f(rows, columns, ahead) for blocks of b of at most `depth` rows and `width` columns, each
/// with what is worth fetching meanwhile: the block below it, with rows up to `rows_after`.
template <class T, class F>
void for_blocks(const T* b, int64_t ldb, RowRange rows, RowRange columns, int64_t rows_after,
                int64_t depth, int64_t width, F&& f) {
    for (int64_t first = columns.begin; first < columns.end; first += width) {
        const RowRange part{first, std::min(first + width, columns.end)};
        for (int64_t l = rows.begin; l < rows.end; l += depth) {
            const int64_t next = std::min(l + depth, rows.end);
            f(RowRange{l, next}, part,
              FetchAhead<T>(b + next * ldb + first, ldb, std::min(depth, rows_after - next),
                            part.size()));
        }
    }
}

/// sums[c] += sum over l of x[l] b[l, c], for whole vectors of columns: kRows rows of b meet the
/// sums at once, and as many rows after them are fetched meanwhile. Returns how many rows were
/// added.
template <int64_t kRows, class T, class A>
[[gnu::always_inline]] inline int64_t add_rows_together(const T* x, const T* b, int64_t ldb,
                                                        int64_t rows, int64_t columns, A* sums) {
    using E = factor_t<T>;
    constexpr int64_t kAtOnce = 4 * kLanes<A>, kLine = 64 / static_cast<int64_t>(sizeof(T));
    int64_t l = 0;
    for (; l + kRows <= rows; l += kRows) {
        E factors[kRows];
        for (int64_t r = 0; r < kRows; ++r) factors[r] = static_cast<A>(x[l + r]);
        const T* row = b + l * ldb;
        const auto add = [&](int64_t c) {
            Vector<A> sum = load_vector(sums + c);
            for (int64_t r = 0; r < kRows; r += kDepthStep<E>)
                FactorVector<E>(row + r * ldb + c, row + (r + kDepthStep<E> - 1) * ldb + c)
                    .add_product(factors + r, sum);
            store_vector<A>(sums + c, sum);
        };
        int64_t c = 0;
        for (; c + kAtOnce <= columns; c += kAtOnce) {
            for (int64_t r = kRows; r < 2 * kRows; ++r)
                for (int64_t at = c; at < c + kAtOnce; at += kLine)
                    __builtin_prefetch(row + r * ldb + at, 0, 2);  // into the second-level cache
            for (int64_t at = c; at < c + kAtOnce; at += kLanes<A>) add(at);
        }
        for (; c < columns; c += kLanes<A>) add(c);
    }
    return l;
}

#if defined(__AVX512BF16__)
/// The same for pairs of bfloat16, from whole lines. Nothing is fetched ahead: so many rows at once
/// are more than the processor's own streams, and asking for lines took 1.05 times as long (Zen 5).
template <int64_t kRows>
[[gnu::always_inline]] inline int64_t add_pairs_together(const bf16* x, const bf16* b, int64_t ldb,
                                                         int64_t rows, int64_t columns,
                                                         float* sums) {
    constexpr int64_t kHalf = kLanes<float>;
    int64_t l = 0;
    for (; l + kRows <= rows; l += kRows) {
        const bf16* row = b + l * ldb;
        int64_t c = 0;
        for (; c + 2 * kHalf <= columns; c += 2 * kHalf) {
            Vector<float> lower = load_vector(sums + c), upper = load_vector(sums + c + kHalf);
            for (int64_t r = 0; r < kRows; r += 2) {
                const auto [first, second] =
                    FactorVector<bf16>::neighbours(row + r * ldb + c, row + (r + 1) * ldb + c);
                first.add_product(x + l + r, lower);
                second.add_product(x + l + r, upper);
            }
            store_vector<float>(sums + c, lower);
            store_vector<float>(sums + c + kHalf, upper);
        }
        for (; c < columns; c += kHalf) {
            Vector<float> sum = load_vector(sums + c);
            for (int64_t r = 0; r < kRows; r += 2)
                FactorVector<bf16>(row + r * ldb + c, row + (r + 1) * ldb + c)
                    .add_product(x + l + r, sum);
            store_vector<float>(sums + c, sum);
        }
    }
    return l;
}
#endif

/// sums[c] += sum over l of x[l] b[l, c]: the sums go through the first-level cache, and b comes in
/// the order in which it lies, some rows at a time where there are registers for it. A function of
/// its own, since what surrounds it would take registers from it.
template <class T, class A>
[[gnu::noinline]] void add_rows(const T* x, const T* b, int64_t ldb, int64_t rows, int64_t columns,
                                A* sums) {
    constexpr int64_t kAtOnce = 8 * kLanes<A>;
    const int64_t whole = columns / kLanes<A> * kLanes<A>;
    int64_t l = 0;
#if defined(__AVX512BF16__)
    if constexpr (std::is_same_v<T, bf16>) l = add_pairs_together<8>(x, b, ldb, rows, whole, sums);
#endif
    if (kVectorRegisters >= 32)
        l += add_rows_together<4>(x + l, b + l * ldb, ldb, rows - l, whole, sums);
    for (; l < rows; ++l) {
        const A factor = static_cast<A>(x[l]);
        const T* row = b + l * ldb;
        int64_t c = 0;
        for (; c + kAtOnce <= whole; c += kAtOnce)
            for (int64_t at = c; at < c + kAtOnce; at += kLanes<A>)
                store_vector(sums + at, factor * load_vector(row + at) + load_vector(sums + at));
        for (; c < whole; c += kLanes<A>)
            store_vector(sums + c, factor * load_vector(row + c) + load_vector(sums + c));
    }
    for (l = 0; whole < columns && l < rows; ++l)
        for (int64_t c = whole; c < columns; ++c)
            sums[c] += static_cast<A>(x[l]) * static_cast<A>(b[l * ldb + c]);
}

/// sums[r, c] += sum over l of x[r, l] b[l, c] for kRows rows of x and kDepth of b, and whole
/// vectors of columns: memory is read along the rows of b, and the sums go through the cache. As
/// many rows after these are asked for meanwhile, if `fetch`.
template <int64_t kRows, int64_t kDepth, class A>
[[gnu::noinline]] void add_row_group(const A* x, int64_t ldx, const A* b, int64_t ldb,
                                     int64_t columns, bool fetch, A* sums, int64_t lds) {
    A factors[kRows][kDepth];
    for (int64_t r = 0; r < kRows; ++r) std::copy_n(x + r * ldx, kDepth, factors[r]);
    const int64_t ahead = fetch ? kDepth * ldb : 0;
    for (int64_t c = 0; c < columns; c += kLanes<A>) {
        Vector<A> acc[kRows];
        for (int64_t r = 0; r < kRows; ++r) acc[r] = load_vector(sums + r * lds + c);
        for (int64_t l = 0; l < kDepth; ++l) {
            const A* at = b + l * ldb + c;
            const Vector<A> column = load_vector(at);
            __builtin_prefetch(at + ahead, 0, 2);  // into the second-level cache
            for (int64_t r = 0; r < kRows; ++r) acc[r] += factors[r][l] * column;
        }
        for (int64_t r = 0; r < kRows; ++r) store_vector(sums + r * lds + c, acc[r]);
    }
}

/// What add_tile does, for fewer columns than a vector has.
template <class E, class T>
void add_scalars(InterleavedFactor<E> x, int64_t rows, const T* b, int64_t ldb, int64_t depth,
                 int64_t columns, accumulator_t<E>* sums, int64_t lds) {
    using A = accumulator_t<E>;
    constexpr int64_t step = kDepthStep<E>;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t l = 0; l < depth; ++l)
            for (int64_t c = 0; c < columns; ++c)
                sums[r * lds + c] +=
                    static_cast<A>(x.at(r, l / step)[l % step]) * static_cast<A>(b[l * ldb + c]);
}

/// Numbers of x or b in a vector of a dot product.
template <class E>
inline constexpr int64_t kDotNumbers = kLanes<accumulator_t<E>>* kDepthStep<E>;

/// The numbers of a row from `from` on, those that a step takes next to each other.
template <class E, class T>
FactorVector<E> dot_vector(const T* from) {
    if constexpr (std::is_same_v<E, T>)
        return FactorVector<E>(from);
    else
        return FactorVector<E>(from, from);
}

/// Where dot_tile fetches to: the second-level cache, or all that is nearer, too, which Intel's
/// processors read a twentieth faster.
inline constexpr int kDotFetch = kAmxBuilt ? 3 : 2;

/// dots[n][r] = row n of b · row r of x over whole vectors, for kDots rows of b with row stride ldb
/// and kRows rows of x, whose vector i of row r begins at x + (i ldx + r) kDotNumbers. With every
/// vector of b the one is fetched that lies as far behind it as the rows after these, or a page.
template <int64_t kRows, int64_t kDots, class E, class T>
[[gnu::noinline]] void dot_tile(const E* x, int64_t ldx, const T* b, int64_t ldb, int64_t vectors,
                                accumulator_t<E> (&dots)[kDots][kRows]) {
    using A = accumulator_t<E>;
    constexpr int64_t kPage = 4096 / static_cast<int64_t>(sizeof(T));
    const int64_t ahead = std::max(kDots * ldb, kPage);
    Vector<A> acc[kDots][kRows] = {};
    for (int64_t i = 0; i < vectors; ++i) {
        FactorVector<E> rows[kDots];
        for (int64_t n = 0; n < kDots; ++n) {
            const T* row = b + n * ldb + i * kDotNumbers<E>;
            rows[n] = dot_vector<E>(row);
            __builtin_prefetch(row + ahead, 0, kDotFetch);
        }
        for (int64_t r = 0; r < kRows; ++r)
            for (int64_t n = 0; n < kDots; ++n)
                rows[n].add_products(x + (i * ldx + r) * kDotNumbers<E>, acc[n][r]);
    }
    for (int64_t n = 0; n < kDots; ++n) sums_of_lanes<A, kRows>(acc[n], dots[n]);
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
