#pragma once

#include <cstdint>

#include "cuda/attention/problem.h"
#include "cuda/attention/tile_rows.h"
#include "cuda/primitives/row_target.h"
#include "cuda/primitives/tensor_core.h"

// What the attention kernels are made of: tiles of bfloat16 rows in shared memory, and products of
// them whose float32 sums are spread over the lanes of a warp.

namespace headroom::cuda {

/// Sums of 16 M rows and N columns, in the layout of C: number e of x[m][n] is of row
/// 16 m + lane / 4 + 8 (e / 2) and column 8 n + 2 (lane % 4) + e % 2.
template <int M, int N>
struct Sums {
    float x[M][N / 8][4];

    __device__ void clear() {
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int n = 0; n < N / 8; ++n)
#pragma unroll
                for (int e = 0; e < 4; ++e) x[m][n][e] = 0;
    }
};

__device__ inline int row_of(const BlockThread& t, int m, int e) {
    return 16 * m + t.lane() / 4 + e / 2 * 8;
}
__device__ inline int column_of(const BlockThread& t, int n, int e) {
    return 8 * n + t.lane() % 4 * 2 + e % 2;
}

/// Calls f(m, n, e) for each number of a lane.
template <int M, int N, class F>
__device__ inline void each_number(F f) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N / 8; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) f(m, n, e);
}

/// Rows of a tile as left factors: 16 M of them from `offset` on.
template <int M, int kWidth>
struct SharedRows {
    uint32_t offset;

    __device__ void load(const BlockThread& t, int k, uint32_t (&a)[M][4]) const {
#pragma unroll
        for (int m = 0; m < M; ++m)
            load_matrices<false>(
                t, a[m],
                offset + static_cast<uint32_t>((16 * m + t.lane() % 16) * row_stride(kWidth) +
                                               2 * (16 * k + t.lane() / 16 * 8)));
    }
};

/// The same, kept in registers.
template <int M, int kWidth>
struct HeldRows {
    uint32_t x[kWidth / 16][M][4];

    __device__ HeldRows(const BlockThread& t, const SharedRows<M, kWidth>& rows) {
#pragma unroll
        for (int k = 0; k < kWidth / 16; ++k) rows.load(t, k, x[k]);
    }
    __device__ void load(const BlockThread&, int k, uint32_t (&a)[M][4]) const {
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int i = 0; i < 4; ++i) a[m][i] = x[k][m][i];
    }
};

/// In registers where there are enough of them.
template <int M, int kWidth>
__device__ inline auto held_if_narrow(const BlockThread& t, const SharedRows<M, kWidth>& rows) {
    if constexpr (kWidth <= 64)
        return HeldRows<M, kWidth>(t, rows);
    else
        return rows;
}

/// sums += A B^T: the N rows of B, kWidth wide, lie in the tile at `b`.
template <int kWidth, int M, int N, class Rows>
__device__ inline void add_row_products(const BlockThread& t, Sums<M, N>& sums, const Rows& rows,
                                        uint32_t b) {
    b += static_cast<uint32_t>((t.lane() % 8 + t.lane() / 16 * 8) * row_stride(kWidth) +
                               2 * (t.lane() / 8 % 2 * 8));
#pragma unroll
    for (int k = 0; k < kWidth / 16; ++k) {
        uint32_t left[M][4];
        rows.load(t, k, left);
#pragma unroll
        for (int n = 0; n < N / 16; ++n) {
            uint32_t right[4];
            load_matrices<false>(
                t, right, b + static_cast<uint32_t>(16 * n * row_stride(kWidth) + 2 * 16 * k));
#pragma unroll
            for (int m = 0; m < M; ++m) {
                multiply_add(sums.x[m][2 * n], left[m], right[0], right[1]);
                multiply_add(sums.x[m][2 * n + 1], left[m], right[2], right[3]);
            }
        }
    }
}

/// sums += A B: A, rounded to bfloat16, has the K columns that sums of another product have; the K
/// rows of B, kWidth wide, lie in the tile at `b`.
template <int M, int K, int kWidth>
__device__ inline void add_column_products(const BlockThread& t, Sums<M, kWidth>& sums,
                                           const Sums<M, K>& a, uint32_t b) {
    b += static_cast<uint32_t>(t.lane() % 16 * row_stride(kWidth) + 2 * (t.lane() / 16 * 8));
#pragma unroll
    for (int k = 0; k < K / 16; ++k) {
        uint32_t left[M][4];
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float* pair = a.x[m][2 * k + i / 2] + i % 2 * 2;
                left[m][i] = pack(pair[0], pair[1]);
            }
#pragma unroll
        for (int n = 0; n < kWidth / 16; ++n) {
            uint32_t right[4];
            load_matrices<true>(
                t, right, b + static_cast<uint32_t>(16 * k * row_stride(kWidth) + 2 * 16 * n));
#pragma unroll
            for (int m = 0; m < M; ++m) {
                multiply_add(sums.x[m][2 * n], left[m], right[0], right[1]);
                multiply_add(sums.x[m][2 * n + 1], left[m], right[2], right[3]);
            }
        }
    }
}

/// Writes the rows of a warp, each times factor(m, e / 2).
template <int M, int N, class Factor>
__device__ inline void write_rows(const BlockThread& t, const Sums<M, N>& sums, const RowTarget& to,
                                  Factor factor) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N / 8; ++n)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float f = factor(m, half);
                to.put_pair(row_of(t, m, 2 * half), column_of(t, n, 0), f * sums.x[m][n][2 * half],
                            f * sums.x[m][n][2 * half + 1]);
            }
}

/// Bit (m N / 8 + n) 4 + e for each number of sums whose rows are queries from i on and whose
/// columns are keys from j on: whether the dropout keeps the pair.
template <int M, int N>
__device__ inline uint64_t kept_by_query(const BlockThread& t, const KeptPairs& kept, int i,
                                         int j) {
    static_assert(M * N / 2 <= 64);
    uint64_t bits = 0;
#pragma unroll 1
    for (int m = 0; m < M; ++m)
#pragma unroll 1
        for (int x = 0; x < 8; ++x) {  // e and the parity of n
            const int e = x % 4, n = x / 4;
            const uint64_t found =
                kept.sixteen_apart<N / 16>(i + row_of(t, m, e), j + column_of(t, n, e));
#pragma unroll
            for (int w = 0; w < N / 16; ++w)
                bits |= (found >> w & 1) << ((m * (N / 8) + n + 2 * w) * 4 + e);
        }
    return bits;
}
/// The same where rows are keys and columns are queries.
template <int M, int N>
__device__ inline uint64_t kept_by_key(const BlockThread& t, const KeptPairs& kept, int j, int i) {
    static_assert(M * N / 2 <= 64);
    uint64_t bits = 0;
#pragma unroll 1
    for (int n = 0; n < N / 8; ++n)
#pragma unroll 1
        for (int e = 0; e < 4; ++e) {
            const uint64_t found =
                kept.sixteen_apart<M>(i + column_of(t, n, e), j + row_of(t, 0, e));
#pragma unroll
            for (int m = 0; m < M; ++m) bits |= (found >> m & 1) << ((m * (N / 8) + n) * 4 + e);
        }
    return bits;
}
template <int M, int N>
__device__ inline bool is_kept(uint64_t bits, int m, int n, int e) {
    return bits >> ((m * (N / 8) + n) * 4 + e) & 1;
}

}  // namespace headroom::cuda
