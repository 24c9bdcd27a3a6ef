#pragma once

#include <cstdint>

#include "cuda/attention/tile_rows.h"
#include "cuda/primitives/aligned_vector.h"

// What the float32 attention kernels are made of: tiles of rows in shared memory, and products of
// them in full float32, whose sums are spread over the lanes of a warp. A warp has 16 rows of the
// block's; eight neighbouring lanes have the numbers of a row.

namespace headroom::cuda {

/// How a float32 kernel cuts its work: a block holds 16 rows a warp, and streams past them tiles
/// of kStreamed rows. Heads are filled up with zeros to kWidth columns.
template <int kWidth_, int kWarps>
struct FloatTile {
    static constexpr int kWidth = kWidth_, kRows = 16 * kWarps, kThreads = 32 * kWarps;
    static constexpr int kStreamed = 32;
    /// Bytes from row to row, of heads and of weights: 16 times an odd number, so that eight rows
    /// that are read together lie in different banks.
    static constexpr uint32_t kStride = row_stride(2 * kWidth);
    static constexpr uint32_t kWeightStride = row_stride(2 * kStreamed);
    static constexpr uint32_t kHeldBytes = kRows * kStride;
    static constexpr uint32_t kStreamedBytes = kStreamed * kStride;
    static constexpr uint32_t kWeightBytes = kRows * kWeightStride;
    static_assert(kWidth % 32 == 0);
};

/// Starts to load a tile of the rows of a head from `first` on, all threads of the block together;
/// the rest is zeros.
template <class Tile, int kRows>
__device__ inline void load_float_tile(const BlockThread& t, const FlashProblem& p, uint32_t to,
                                       const HeadAt& head, int b, int first, int width) {
    const int64_t row = static_cast<int64_t>(b) * p.seq_len + first;
    load_tile<kRows, 2 * Tile::kWidth, Tile::kThreads>(
        t, to, {head, p.queries[0].data, row, p.seq_len - first, width, 4}, p.alignment);
}

/// The row, of those of its warp, and the column of number (m, n) of a lane's scores.
__device__ inline int score_row(const BlockThread& t, int m) {
    return t.lane() / 8 + 4 * m;
}
__device__ inline int score_column(const BlockThread& t, int n) {
    return t.lane() % 8 + 8 * n;
}

/// Scores of a warp's rows and the rows of a streamed tile.
struct FloatScores {
    float x[4][4];
};
/// Calls f(m, n) for each of a lane's scores.
template <class F>
__device__ inline void each_score(F f) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < 4; ++n) f(m, n);
}

/// Sums over the rows of streamed tiles: number e of x[m][n] is of row score_row(m) and column
/// 32 n + 4 (lane % 8) + e.
template <int kWidth>
struct FloatSums {
    float x[4][kWidth / 32][4];
};
/// Calls f(m, n, e) for each of a lane's sums.
template <int kWidth, class F>
__device__ inline void each_sum(F f) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < kWidth / 32; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) f(m, n, e);
}

/// A B^T, A the rows of the warp in the tile of the block at `a`, B the streamed tile at `b`, of
/// which the first `width` columns are not zero.
template <class Tile>
__device__ inline FloatScores row_products(const BlockThread& t, uint32_t a, uint32_t b,
                                           int width) {
    using Four = AlignedVector<float, 4>;
    a += static_cast<uint32_t>(16 * t.warp() + score_row(t, 0)) * Tile::kStride;
    b += static_cast<uint32_t>(score_column(t, 0)) * Tile::kStride;
    FloatScores scores{};
#pragma unroll 2
    for (int c = 0; c < width; c += 4, a += 16, b += 16) {
        Four left[4], right[4];
#pragma unroll
        for (uint32_t m = 0; m < 4; ++m) left[m] = t.load<Four>(a + 4 * m * Tile::kStride);
#pragma unroll
        for (uint32_t n = 0; n < 4; ++n) right[n] = t.load<Four>(b + 8 * n * Tile::kStride);
        each_score([&](int m, int n) {
#pragma unroll
            for (int e = 0; e < 4; ++e) scores.x[m][n] += left[m][e] * right[n][e];
        });
    }
    return scores;
}

/// Puts the scores into the block's tile at `to`, for the lanes of the same rows.
template <class Tile>
__device__ inline void put_scores(const BlockThread& t, const FloatScores& scores, uint32_t to) {
    each_score([&](int m, int n) {
        t.store(to + static_cast<uint32_t>(16 * t.warp() + score_row(t, m)) * Tile::kWeightStride +
                    static_cast<uint32_t>(4 * score_column(t, n)),
                scores.x[m][n]);
    });
}

/// sums += A B: A the rows of the warp in the tile of scores at `a`, B the streamed tile at `b`.
template <class Tile>
__device__ inline void add_score_products(const BlockThread& t, FloatSums<Tile::kWidth>& sums,
                                          uint32_t a, uint32_t b) {
    using Four = AlignedVector<float, 4>;
    a += static_cast<uint32_t>(16 * t.warp() + score_row(t, 0)) * Tile::kWeightStride;
    b += static_cast<uint32_t>(16 * (t.lane() % 8));
#pragma unroll 1
    for (int j = 0; j < Tile::kStreamed; j += 4, a += 16, b += 4 * Tile::kStride) {
        Four left[4];
#pragma unroll
        for (uint32_t m = 0; m < 4; ++m) left[m] = t.load<Four>(a + 4 * m * Tile::kWeightStride);
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int n = 0; n < Tile::kWidth / 32; ++n) {
                const auto right = t.load<Four>(b + static_cast<uint32_t>(k) * Tile::kStride +
                                                static_cast<uint32_t>(128 * n));
#pragma unroll
                for (int m = 0; m < 4; ++m)
#pragma unroll
                    for (int e = 0; e < 4; ++e) sums.x[m][n][e] += left[m][k] * right[e];
            }
    }
}

/// Where the rows of a warp go to.
struct FloatTarget {
    float* first;
    int64_t columns;  ///< from row to row
    int rows, width;  ///< that are there
    bool add;         ///< to what is there

    /// Four numbers from column c on.
    __device__ void put_four(int row, int c, AlignedVector<float, 4> x) const {
        using Four = AlignedVector<float, 4>;
        if (row >= rows || c >= width) return;
        float* to = first + row * columns + c;
        if (c + 4 <= width && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
            if (add) {
                const Four before = load_global<Four>(to);
#pragma unroll
                for (int e = 0; e < 4; ++e) x[e] += before[e];
            }
            store_global(to, x);
            return;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (c + e < width) to[e] = add ? to[e] + x[e] : x[e];
    }
};

template <int kWidth>
__device__ inline void write_sums(const BlockThread& t, const FloatSums<kWidth>& sums,
                                  const FloatTarget& to) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < kWidth / 32; ++n) {
            const float* x = sums.x[m][n];
            to.put_four(score_row(t, m), 32 * n + 4 * (t.lane() % 8), {x[0], x[1], x[2], x[3]});
        }
}

/// Bit 4 m + n for each score whose row is a query, of those from i on, and whose column is a key,
/// of those from j on: whether the dropout keeps the pair.
__device__ inline uint32_t kept_of_queries(const BlockThread& t, const KeptPairs& kept, int i,
                                           int j) {
    uint32_t bits = 0;
#pragma unroll 1
    for (int m = 0; m < 4; ++m)
#pragma unroll 1
        for (int n = 0; n < 2; ++n) {
            const uint32_t found =
                kept.sixteen_apart<2>(i + score_row(t, m), j + score_column(t, n));
            bits |= (found & 1) << (4 * m + n) | (found >> 1) << (4 * m + n + 2);
        }
    return bits;
}
/// The same where rows are keys and columns are queries.
__device__ inline uint32_t kept_of_keys(const BlockThread& t, const KeptPairs& kept, int j, int i) {
    uint32_t bits = 0;
#pragma unroll 1
    for (int m = 0; m < 4; ++m)
#pragma unroll 1
        for (int n = 0; n < 4; ++n)
            bits |= kept.sixteen_apart<1>(i + score_column(t, n), j + score_row(t, m))
                    << (4 * m + n);
    return bits;
}
__device__ inline bool is_kept(uint32_t bits, int m, int n) {
    return bits >> (4 * m + n) & 1;
}

}  // namespace headroom::cuda
