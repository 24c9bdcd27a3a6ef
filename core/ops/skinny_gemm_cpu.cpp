#include <algorithm>
#include <bit>
#include <numeric>

#include "core/cpu/parallel.h"
#include "core/ops/skinny_gemm.h"
#include "core/ops/skinny_gemm_amx.h"
#include "core/ops/skinny_gemm_tile.h"
#include "core/ops/store.h"

// Plain B: its rows are cut into pieces, whose sums are added in the end: a thread then reads
// memory from end to end, which processors foresee far better than parts of rows. How many pieces
// there are depends on the shapes alone, so that the number of threads does not show. Transposed B:
// each thread owns rows of it. The rows of A are cut into groups of one size, the last filled with
// zeros.

namespace headroom {
namespace {

constexpr int64_t kColumnGrain = 64;
constexpr int64_t kThreadBytes = 64 << 10;  ///< of B that are worth waking a thread for
constexpr int64_t kBlockBytes = 256 << 10;  ///< of B; two blocks fit the second-level cache
constexpr int64_t kManyColumns = 8192;      ///< a part of such a row is long enough for a thread
constexpr int64_t kPieceRows = 64;          ///< of B, at least
constexpr int64_t kLongPieceRows = 256;     ///< of B, where A has many rows
constexpr int64_t kSumGrain = 1 << 15;      ///< numbers to add that are worth waking a thread for

int64_t groups_of(int64_t m) {
    return (m + kTileRows - 1) / kTileRows;
}
int64_t group_rows(int64_t m) {
    return (m + groups_of(m) - 1) / groups_of(m);
}
int64_t padded_rows(int64_t m) {
    return groups_of(m) * group_rows(m);
}

/// Pieces of the rows of a plain B. Each has sums of its own, which weigh more with more rows of A:
/// a power of two of pieces of at least kLongPieceRows then, or two.
int64_t pieces_of(int64_t m, int64_t n, int64_t k) {
    if (n >= kManyColumns) return 1;
    if (m <= 4) return std::clamp<int64_t>(k / kPieceRows, 1, 8);
    const auto long_pieces =
        static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(k / kLongPieceRows)));
    return std::clamp<int64_t>(long_pieces, std::clamp<int64_t>(k / kPieceRows, 1, 2), 4);
}

/// Adds A B over some rows of B for some columns. Several rows of A: blocks of rows of B are cut
/// into tiles, and while one block is worked on, the next is fetched. One row of A: row by row.
template <class T, int64_t kRows>
class PlainTiles {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    static constexpr int64_t kStep = kDepthStep<E>;
    static constexpr int64_t kDeepest = (kRows <= 4 ? 16 : kTileDepth) * kStep;
    static constexpr int64_t kColumns = kRows <= 4 ? 4096 : 1024;
    static constexpr int64_t kWide = tile_vectors(kRows);
    /// Rows of B at once if they are read along their length: what Intel's processors foresee
    /// better than blocks.
    static constexpr int64_t kGroup = 8;
    static constexpr bool kByGroups = kAmxBuilt && kRows > 4 && std::is_same_v<T, float>;

  public:
    PlainTiles(const GemmShape& shape, const T* a, const T* b)
        : s_(shape), rows_(padded_rows(shape.m)), lds_(sums_stride(shape.n)), a_(a), b_(b) {
        const int64_t row_bytes = std::min(s_.n, kColumns) * static_cast<int64_t>(sizeof(T));
        depth_ = std::clamp<int64_t>(kBlockBytes / row_bytes / 8 * 8, 8, kDeepest);
    }

    /// sums[r, c] = sum over the rows l of a[r, l] b[l, c]; `sums` has rows of sums_stride(n). The
    /// thread goes on with rows up to `rows_after`.
    void run(RowRange rows, RowRange columns, int64_t rows_after, A* sums) {
        for (int64_t r = 0; r < rows_; ++r)
            std::fill(sums + r * lds_ + columns.begin, sums + r * lds_ + columns.end, A{0});
        if constexpr (kByGroups) {
            if (s_.m == kRows) rows.begin += add_groups(rows, columns, rows_after, sums);
        }
        const int64_t depth = kRows == 1 ? rows.size() : depth_;  // one row of A: no blocks
        for_blocks(b_, s_.ldb, rows, columns, rows_after, depth, kColumns,
                   [&](RowRange block, RowRange part, const FetchAhead<T>& ahead) {
                       if constexpr (kRows == 1) {
                           add_rows(a_ + block.begin, b_ + block.begin * s_.ldb + part.begin,
                                    s_.ldb, block.size(), part.size(), sums + part.begin);
                       } else {
                           ahead_ = ahead;
                           run_block(block, part, sums);
                       }
                   });
    }

  private:
    /// Whole groups of rows of B, whose number it returns.
    int64_t add_groups(RowRange rows, RowRange columns, int64_t rows_after, A* sums) {
        if (columns.size() % kLanes<A> != 0) return 0;
        int64_t l = rows.begin;
        for (; l + kGroup <= rows.end; l += kGroup)
            add_row_group<kRows, kGroup>(a_ + l, s_.lda, b_ + l * s_.ldb + columns.begin, s_.ldb,
                                         columns.size(), l + 2 * kGroup <= rows_after,
                                         sums + columns.begin, lds_);
        return l - rows.begin;
    }

    void run_block(RowRange rows, RowRange columns, A* sums) {
        load_x(rows);
        const T* b = b_ + rows.begin * s_.ldb;
        int64_t c = columns.begin;
        for (; c + kWide * kLanes<A> <= columns.end; c += kWide * kLanes<A>)
            tiles<kWide>(b + c, rows.size(), sums + c);
        for (; c + kLanes<A> <= columns.end; c += kLanes<A>) tiles<1>(b + c, rows.size(), sums + c);
        add_scalars<E>({x_, rows_}, rows_, b + c, s_.ldb, rows.size(), columns.end - c, sums + c,
                       lds_);
    }

    /// A block's columns of A, interleaved; rows that A does not have and the rest of a step are 0.
    void load_x(RowRange rows) {
        const int64_t depth = rows.size(), whole = whole_steps<E>(depth);
        if (s_.m < rows_ || depth < whole) std::fill_n(x_, whole * rows_, E{});
        for (int64_t r = 0; r < s_.m; ++r) {
            const T* a = a_ + r * s_.lda + rows.begin;
            E* x = x_ + r * kStep;
            for (int64_t i = 0; i < depth; ++i)
                x[i / kStep * kStep * rows_ + i % kStep] = as_factor(a[i]);
        }
    }
    static E as_factor(T number) {
        if constexpr (std::is_same_v<T, E>)
            return number;
        else
            return static_cast<A>(number);
    }

    /// All rows of A meet kVectors vectors of columns. The first group leaves what it read to the
    /// others: rows of B that lie a power of two apart displace each other from the first cache.
    template <int64_t kVectors>
    void tiles(const T* b, int64_t depth, A* sums) {
        const InterleavedFactor<E> x{x_, rows_};
        if (rows_ == kRows) {
            add_tile<kRows, kVectors, false>(x, b, s_.ldb, depth, sums, lds_, copy_, ahead_);
            return;
        }
        add_tile<kRows, kVectors, true>(x, b, s_.ldb, depth, sums, lds_, copy_, ahead_);
        const InterleavedFactor<E> copied{copy_, kVectors * kLanes<A>};
        for (int64_t r = kRows; r < rows_; r += kRows)
            product_tile<kRows, kVectors>(x, copied, r, 0, 0, (depth + kStep - 1) / kStep,
                                          sums + r * lds_, lds_, true);
    }

    const GemmShape& s_;
    int64_t rows_, lds_, depth_;
    const T *a_, *b_;
    FetchAhead<T> ahead_;
    alignas(64) E x_[kTileDepth * kStep * kSkinnyRows];
    alignas(64) E copy_[kTileDepth * kStep * kWide * kLanes<A>];
};

/// C = the sum of the pieces' sums, in their order.
template <class T>
void add_pieces(const GemmShape& s, int64_t pieces, accumulator_t<T>* sums, T* c) {
    const int64_t lds = sums_stride(s.n), stride = padded_rows(s.m) * lds;
    parallel_for(s.m * s.n, kSumGrain / pieces, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {
            const int64_t r = i / s.n, first = i - r * s.n, count = std::min(s.n - first, end - i);
            accumulator_t<T>* row = sums + r * lds + first;
            for (int64_t p = 1; p < pieces; ++p) {
                const accumulator_t<T>* other = row + p * stride;
#pragma omp simd
                for (int64_t j = 0; j < count; ++j) row[j] += other[j];
            }
            T* to = c + r * s.ldc + first;
            for (int64_t j = 0; j < count; ++j) store(to[j], row[j], s.accumulate);
            i += count;
        }
    });
}

/// A thread takes some of the pieces of rows of B, or where the threads do not go into them, parts
/// of their columns.
template <class T, class Tiles>
void plain_gemm(const GemmShape& s, const T* a, const T* b, T* c, accumulator_t<T>* sums) {
    const int64_t pieces = pieces_of(s.m, s.n, s.k),
                  groups = (s.n + kColumnGrain - 1) / kColumnGrain;
    const int64_t parts =
        std::min(groups, cpu_threads() / std::gcd<int64_t>(cpu_threads(), pieces));
    const int64_t units = pieces * parts, bytes = s.k * s.n * static_cast<int64_t>(sizeof(T));
    const int64_t grain = (units * kThreadBytes + bytes - 1) / std::max<int64_t>(bytes, 1);
    const auto row_of = [&](int64_t piece) { return s.k * piece / pieces; };
    const auto column_of = [&](int64_t part) {
        return std::min(s.n, groups * part / parts * kColumnGrain);
    };
    parallel_for(units, grain, [&](int64_t from, int64_t to) {
        Tiles tiles(s, a, b);
        for (int64_t unit = from; unit < to; ++unit) {
            // The pieces of one part of the columns after each other, as they lie in memory.
            const int64_t part = unit / pieces, piece = unit % pieces;
            const int64_t last = std::min(pieces, piece + to - unit);
            tiles.run({row_of(piece), row_of(piece + 1)}, {column_of(part), column_of(part + 1)},
                      row_of(last), sums + piece * padded_rows(s.m) * sums_stride(s.n));
        }
    });
    add_pieces(s, pieces, sums, c);
}

/// Columns of C = A B^T: dot products with rows of B. `x` holds A as dot_tile reads it.
template <class T, int64_t kRows>
class TransposedColumns {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    /// Rows of B at once. Of pairs of bfloat16 one after the other is fast enough to compute, and
    /// memory is read from end to end; with one row of A two where one would wait for its sum,
    /// which Intel's processors do and Zen 5 does not.
    static constexpr int64_t kDots = kRows == 1 && kAmxBuilt ? kDepthStep<E>
                                     : kRows == 1 || kDepthStep<E> > 1
                                         ? 1
                                         : std::clamp<int64_t>(kVectorRegisters * 3 / 4 / kRows, 1,
                                                               3);

  public:
    TransposedColumns(const GemmShape& shape, const T* a, const T* b, const E* x, T* c)
        : s_(shape), rows_(padded_rows(shape.m)), a_(a), b_(b), x_(x), c_(c) {}

    void run(int64_t begin, int64_t end) {
        int64_t j = begin;
        for (; j + kDots <= end; j += kDots) dots<kDots>(j);
        for (; j < end; ++j) dots<1>(j);
    }

  private:
    template <int64_t kCount>
    void dots(int64_t j) {
        const T* b = b_ + j * s_.ldb;
        const int64_t vectors = s_.k / kDotNumbers<E>;
        for (int64_t first = 0; first < rows_; first += kRows) {
            A dots[kCount][kRows];
            dot_tile<kRows, kCount>(x_ + first * kDotNumbers<E>, rows_, b, s_.ldb, vectors, dots);
            for (int64_t r = first; r < std::min(first + kRows, s_.m); ++r)
                for (int64_t n = 0; n < kCount; ++n) {
                    A dot = dots[n][r - first];
                    for (int64_t l = vectors * kDotNumbers<E>; l < s_.k; ++l)
                        dot +=
                            static_cast<A>(a_[r * s_.lda + l]) * static_cast<A>(b[n * s_.ldb + l]);
                    store(c_[r * s_.ldc + j + n], dot, s_.accumulate);
                }
        }
    }

    const GemmShape& s_;
    int64_t rows_;
    const T *a_, *b_;
    const E* x_;
    T* c_;
};

/// A with a vector of each row after the other: [k / kDotNumbers, rows, kDotNumbers].
template <class T>
void pack_rows(const GemmShape& s, const T* a, factor_t<T>* x) {
    using E = factor_t<T>;
    const int64_t rows = padded_rows(s.m);
    for (int64_t i = 0; i < s.k / kDotNumbers<E>; ++i)
        for (int64_t r = 0; r < rows; ++r, x += kDotNumbers<E>)
            for (int64_t l = 0; l < kDotNumbers<E>; ++l)
                x[l] = r < s.m
                           ? static_cast<accumulator_t<T>>(a[r * s.lda + i * kDotNumbers<E> + l])
                           : accumulator_t<T>{0};
}

template <class T, int64_t kRows>
void transposed_product(const GemmShape& s, const T* a, const T* b, T* c,
                        accumulator_t<T>* workspace) {
    auto* x = reinterpret_cast<factor_t<T>*>(workspace);
    pack_rows(s, a, x);
    const int64_t row_bytes = s.k * static_cast<int64_t>(sizeof(T));
    parallel_for(s.n, kThreadBytes / std::max<int64_t>(row_bytes, 1),
                 [&](int64_t from, int64_t to) {
                     TransposedColumns<T, kRows>(s, a, b, x, c).run(from, to);
                 });
}

#if HEADROOM_AMX
void amx_transposed_product(const GemmShape& s, const bf16* a, const bf16* b, bf16* c,
                            float* workspace) {
    auto* x = reinterpret_cast<bf16*>(workspace);
    AmxTransposedColumns::pack_columns(s, a, x);
    const int64_t row_bytes = s.k * static_cast<int64_t>(sizeof(bf16));
    parallel_for(
        s.n, kThreadBytes / std::max<int64_t>(row_bytes, 1),
        [&](int64_t from, int64_t to) { AmxTransposedColumns(s, a, b, x, c).run(from, to); });
}

void amx_panel_product(const GemmShape& s, const bf16* a, const bf16* b, bf16* c) {
    const int64_t panel_bytes = panel_numbers(s.k) * static_cast<int64_t>(sizeof(bf16));
    parallel_for(s.n / kPanelColumns, (kThreadBytes + panel_bytes - 1) / panel_bytes,
                 [&](int64_t from, int64_t to) { AmxPanels(s, a, b, c).run(from, to); });
}
#endif

}  // namespace

int64_t skinny_gemm_workspace(int64_t m, int64_t n, int64_t k, bool b_transposed) {
    // Tiles take 16 columns of bfloat16, half the size.
    if (b_transposed) return std::max<int64_t>(padded_rows(m), kAmxBuilt ? kAmxRows / 2 : 0) * k;
    return padded_rows(m) * pieces_of(m, n, k) * sums_stride(n);
}

template <class T>
void skinny_gemm(const GemmShape& s, const T* a, const T* b, T* c, accumulator_t<T>* workspace) {
#if HEADROOM_AMX
    if constexpr (kAmxTiles<T>) {
        if (s.b_panels) return amx_panel_product(s, a, b, c);
        if (s.m >= kAmxFewestRows && may_use_amx()) {
            if (s.b_transposed)
                amx_transposed_product(s, a, b, c, workspace);
            else
                plain_gemm<T, AmxPlainTiles>(s, a, b, c, workspace);
            return;
        }
    }
#endif
    CHECK(!s.b_panels, "panels are for tiles of bfloat16");
    with_tile_rows(group_rows(s.m), [&]<int64_t kRows>() {
        if (s.b_transposed)
            transposed_product<T, kRows>(s, a, b, c, workspace);
        else
            plain_gemm<T, PlainTiles<T, kRows>>(s, a, b, c, workspace);
    });
}

template void skinny_gemm(const GemmShape&, const float*, const float*, float*, float*);
template void skinny_gemm(const GemmShape&, const double*, const double*, double*, double*);
template void skinny_gemm(const GemmShape&, const bf16*, const bf16*, bf16*, float*);

}  // namespace headroom
