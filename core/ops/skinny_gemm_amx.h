#pragma once

#include "core/cpu/amx_tiles.h"
#include "core/cpu/store_each.h"
#include "core/cpu/tile_product.h"
#include "core/cpu/weight_panels.h"
#include "core/ops/skinny_gemm.h"
#include "core/ops/skinny_gemm_tile.h"

// skinny_gemm in tiles of AMX: 16 rows of A cost as much as one, so that B is multiplied as fast as
// it comes.

#if HEADROOM_AMX

namespace headroom {

inline constexpr int64_t kAmxFewestRows = 5;          ///< of A for which tiles are faster
inline constexpr int64_t kAmxColumns = 2 * kAmxRows;  ///< of B that a call takes

inline constexpr int64_t kAmxBlockDepth = 2 * kAmxDepth;  ///< and rows, at most

/// sums [rows, 32] += x b for b [depth, 32] with row stride ldb. x holds the numbers of A tile by
/// tile, [depth / 32, 16, 32]; depth is whole tiles. The caller's AmxTiles have as many upper rows
/// as A. Between rows, as much is fetched of what `ahead` knows. All of b is laid out before any of
/// it is multiplied: a tile is not loaded before what was written there has left for the cache.
template <class Ahead>
[[gnu::noinline]] void amx_add_tile(const bf16* x, const bf16* b, int64_t ldb, int64_t depth,
                                    float* sums, int64_t lds, Ahead& ahead) {
    constexpr int64_t kTile = kAmxRows * kAmxDepth;
    alignas(64) bf16 tiles[kAmxBlockDepth / kAmxDepth][2][kTile];
    for (int64_t l = 0; l < depth; l += 2) {
        const bf16 *row = b + l * ldb, *next = row + ldb;
        ahead.fetch(2 * kAmxColumns);
        for (int64_t v = 0; v < 2; ++v)
            FactorVector<bf16>(row + v * kAmxRows, next + v * kAmxRows)
                .store(tiles[l / kAmxDepth][v] + l % kAmxDepth * kAmxRows);
    }
    const int64_t sums_stride = lds * static_cast<int64_t>(sizeof(float));
    constexpr int64_t kStride = kAmxDepth * static_cast<int64_t>(sizeof(bf16));
    asm volatile("" ::: "memory");  // the loads below do not tell the compiler what they read
    _tile_loadd(0, sums, sums_stride);
    tile_gap();
    _tile_loadd(1, sums + kAmxRows, sums_stride);
    for (int64_t l = 0; l < depth / kAmxDepth; ++l) {
        tile_gap();
        _tile_loadd(4, x + l * kTile, kStride);
        tile_gap();
        _tile_loadd(6, tiles[l][0], kStride);
        tile_gap();
        _tile_dpbf16ps(0, 4, 6);
        tile_gap();
        _tile_loadd(7, tiles[l][1], kStride);
        tile_gap();
        _tile_dpbf16ps(1, 4, 7);
    }
    tile_gap();
    _tile_stored(0, sums, sums_stride);
    tile_gap();
    _tile_stored(1, sums + kAmxRows, sums_stride);
}

/// Adds A B over some rows of B for some columns, block by block as PlainTiles does.
class AmxPlainTiles {
    static constexpr int64_t kDepth = kAmxBlockDepth, kColumns = 1024;  ///< of a block

  public:
    AmxPlainTiles(const GemmShape& shape, const bf16* a, const bf16* b)
        : s_(shape), lds_(sums_stride(shape.n)), a_(a), b_(b), tiles_(shape.m, 1) {}

    /// sums[r, c] = sum over the rows l of a[r, l] b[l, c]; `sums` has rows of sums_stride(n). The
    /// thread goes on with rows up to `rows_after`.
    void run(RowRange rows, RowRange columns, int64_t rows_after, float* sums) {
        for (int64_t r = 0; r < s_.m; ++r)
            std::fill(sums + r * lds_ + columns.begin, sums + r * lds_ + columns.end, 0.0f);
        for_blocks(b_, s_.ldb, rows, columns, rows_after, kDepth, kColumns,
                   [&](RowRange block, RowRange part, const FetchAhead<bf16>& ahead) {
                       ahead_ = ahead;
                       run_block(block, part, sums);
                   });
    }

  private:
    void run_block(RowRange rows, RowRange columns, float* sums) {
        load_x(rows);
        const bool whole = rows.size() % kAmxDepth == 0;
        for (int64_t c = columns.begin; c < columns.end; c += kAmxColumns) {
            const bf16* b = b_ + rows.begin * s_.ldb + c;
            const int64_t count = std::min(kAmxColumns, columns.end - c);
            if (whole && count == kAmxColumns)
                amx_add_tile(x_, b, s_.ldb, rows.size(), sums + c, lds_, ahead_);
            else
                add_edge(b, rows.size(), count, sums + c);
        }
    }

    /// What is no whole tile is copied and filled up with zeros.
    void add_edge(const bf16* b, int64_t depth, int64_t columns, float* sums) {
        std::fill_n(edge_, kDepth * kAmxColumns, bf16{});
        for (int64_t l = 0; l < depth; ++l)
            std::copy_n(b + l * s_.ldb, columns, edge_ + l * kAmxColumns);
        alignas(64) float square[kAmxRows * kAmxColumns] = {};
        amx_add_tile(x_, edge_, kAmxColumns, whole_steps<bf16>(depth), square, kAmxColumns, ahead_);
        for (int64_t r = 0; r < s_.m; ++r)
            for (int64_t c = 0; c < columns; ++c) sums[r * lds_ + c] += square[r * kAmxColumns + c];
    }

    void load_x(RowRange rows) {
        if (rows.size() < kDepth) std::fill_n(x_, kDepth * kAmxRows, bf16{});
        for (int64_t r = 0; r < s_.m; ++r)
            for (int64_t l = 0; l < rows.size(); l += kAmxDepth)
                std::copy_n(a_ + r * s_.lda + rows.begin + l, std::min(kAmxDepth, rows.size() - l),
                            x_ + l * kAmxRows + r * kAmxDepth);
    }

    const GemmShape& s_;
    int64_t lds_;
    const bf16 *a_, *b_;
    AmxTiles tiles_;
    FetchAhead<bf16> ahead_;
    alignas(64) bf16 x_[kDepth * kAmxRows];
    alignas(64) bf16 edge_[kDepth * kAmxColumns];
};

/// Columns of C = A B for a B in panels, which come past from end to end as they are multiplied.
class AmxPanels {
  public:
    AmxPanels(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c)
        : s_(shape), a_(a), b_(b), c_(c), tiles_(shape.m, 1) {}

    /// Panels [begin, end).
    void run(int64_t begin, int64_t end) const {
        for (int64_t panel = begin; panel < end; ++panel) {
            alignas(64) float sums[kAmxRows * kPanelColumns];
            amx_block<false, true, true>({a_, b_ + panel * s_.ldb, sums, s_.lda * kNumber,
                                          2 * kPanelColumns * kNumber, kPanelColumns * kSum,
                                          s_.k / kAmxDepth, false});
            for (int64_t r = 0; r < s_.m; ++r)
                store_sums(sums + r * kPanelColumns, kPanelColumns, s_.accumulate,
                           c_ + r * s_.ldc + panel * kPanelColumns);
        }
    }

  private:
    static constexpr int64_t kNumber = sizeof(bf16), kSum = sizeof(float);

    const GemmShape& s_;
    const bf16 *a_, *b_;
    bf16* c_;
    AmxTiles tiles_;
};

/// Columns of C = A B^T, transposed: rows of B are rows of a left factor as they lie. `x` holds A
/// as pack_columns leaves it.
class AmxTransposedColumns {
  public:
    AmxTransposedColumns(const GemmShape& shape, const bf16* a, const bf16* b, const bf16* x,
                         bf16* c)
        : s_(shape), a_(a), b_(b), x_(x), c_(c) {}

    /// A as a right factor of 16 columns, [k / 2, 16, 2]; the rest of k is left out.
    static void pack_columns(const GemmShape& s, const bf16* a, bf16* x) {
        for (int64_t l = 0; l < s.k / kAmxDepth * kAmxDepth; l += 2, x += kAmxDepth)
            for (int64_t r = 0; r < kAmxRows; ++r)
                for (int64_t i = 0; i < 2; ++i)
                    x[2 * r + i] = r < s.m ? a[r * s.lda + l + i] : bf16{};
    }

    void run(int64_t begin, int64_t end) const {
        const int64_t whole = begin + (end - begin) / kRows * kRows, rest = end - whole;
        if (begin < whole) {
            const AmxTiles tiles(kAmxRows, kAmxRows);
            for (int64_t j = begin; j < whole; j += kRows)
                run_block<true>(j, kRows, std::min(kRows, end - j - kRows));
        }
        if (rest == 0) return;
        const AmxTiles tiles(std::min(rest, kAmxRows), std::max<int64_t>(rest - kAmxRows, 1));
        rest > kAmxRows ? run_block<true>(whole, rest, 0) : run_block<false>(whole, rest, 0);
    }

  private:
    static constexpr int64_t kRows = 2 * kAmxRows;  ///< of B at once
    /// Bytes of a row of x and of the sums.
    static constexpr int64_t kStride = kAmxDepth * static_cast<int64_t>(sizeof(bf16));

    /// Rows [j, j + rows) of B; `after` more are fetched meanwhile.
    template <bool kLower>
    void run_block(int64_t j, int64_t rows, int64_t after) const {
        alignas(64) float sums[kRows * kAmxRows] = {}, turned[kAmxRows * kRows];
        multiply<kLower>(b_ + j * s_.ldb, after, sums);
        add_rest(j, rows, sums);
        for (int64_t half = 0; half < 2; ++half)
            transpose_square(reinterpret_cast<const uint32_t*>(sums + half * kAmxRows * kAmxRows),
                             kAmxRows, reinterpret_cast<uint32_t*>(turned + half * kAmxRows),
                             kRows);
        for (int64_t r = 0; r < s_.m; ++r)
            store_sums(turned + r * kRows, rows, s_.accumulate, c_ + r * s_.ldc + j);
    }

    template <bool kLower>
    void multiply(const bf16* b, int64_t after, float* sums) const {
        const int64_t stride = s_.ldb * static_cast<int64_t>(sizeof(bf16));
        FetchAhead<bf16> ahead(b + kRows * s_.ldb, s_.ldb, after, s_.k);
        asm volatile("" ::: "memory");  // the loads below do not tell the compiler what they read
        _tile_zero(0);
        tile_gap();
        if constexpr (kLower) _tile_zero(2);
        const bf16* x = x_;
        for (int64_t l = 0; l + kAmxDepth <= s_.k; l += kAmxDepth, x += kAmxRows * kAmxDepth) {
            ahead.fetch(kRows * kAmxDepth);
            tile_gap();
            _tile_loadd(6, x, kStride);
            tile_gap();
            _tile_loadd(4, b + l, stride);
            tile_gap();
            _tile_dpbf16ps(0, 4, 6);
            if constexpr (kLower) {
                tile_gap();
                _tile_loadd(5, b + kAmxRows * s_.ldb + l, stride);
                tile_gap();
                _tile_dpbf16ps(2, 5, 6);
            }
        }
        tile_gap();
        _tile_stored(0, sums, kStride);
        tile_gap();
        if constexpr (kLower) _tile_stored(2, sums + kAmxRows * kAmxRows, kStride);
    }

    /// The terms after the last whole tile.
    void add_rest(int64_t j, int64_t rows, float* sums) const {
        for (int64_t l = s_.k / kAmxDepth * kAmxDepth; l < s_.k; ++l)
            for (int64_t n = 0; n < rows; ++n)
                for (int64_t r = 0; r < s_.m; ++r)
                    sums[n * kAmxRows + r] += static_cast<float>(a_[r * s_.lda + l]) *
                                              static_cast<float>(b_[(j + n) * s_.ldb + l]);
    }

    const GemmShape& s_;
    const bf16 *a_, *b_, *x_;
    bf16* c_;
};

}  // namespace headroom

#endif
