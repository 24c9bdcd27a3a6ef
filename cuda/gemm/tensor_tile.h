#pragma once

#include <cstdint>

#include "core/base/bf16.h"
#include "cuda/primitives/aligned_vector.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {

/// How a factor lies in memory: each row holds what is multiplied (kDepth contiguous), or each row
/// is one step of the depth.
enum class Along { kDepth, kIndex };

/// A bfloat16 factor from the tile's corner on. Rows begin at multiples of 16 bytes, and columns
/// are a multiple of 8.
struct TensorFactor {
    const bf16* first;
    int64_t stride;     ///< numbers from row to row
    int rows, columns;  ///< that are there; the others are zeros
};

/// C = A B of bfloat16 factors by a block on tensor cores, 128 x 128 numbers of C, for products
/// whose sizes only the device knows: the others are GemmLibrary's. Depth goes by in steps of 32,
/// two of them on their way while one is worked on. A warp has 64 x 64 numbers.
template <Along kLeft, Along kRight>
struct TensorTile {
    static constexpr int kRows = 128, kColumns = 128;
    static constexpr int M = 4, N = 8;  ///< pieces of 16 rows and 8 columns that a warp has
    static constexpr int kWarpsAcross = kColumns / (8 * N);
    static constexpr int kThreads = 32 * kWarpsAcross * (kRows / (16 * M));
    static constexpr int kDepth = 32, kStages = 3;
    static constexpr int64_t kSharedBytes =
        kStages * int64_t{(kRows + kColumns) * (2 * kDepth + 16)};

    TensorFactor a, b;
    int depth;

    /// Calls put_pair(row, column, low, high) for columns `column` (even) and the next of this
    /// thread, rows and columns of the tile that are not there included.
    template <class Put>
    __device__ void run(const BlockThread& t, Put put_pair) const {
        float sums[M][N][4] = {};
        const int row = t.warp() / kWarpsAcross * 16 * M;
        const int column = t.warp() % kWarpsAcross * 8 * N;
        const int steps = (depth + kDepth - 1) / kDepth;
        for (int step = 0; step < kStages - 1; ++step) load(t, step, steps);
        for (int step = 0; step < steps; ++step) {
            t.wait_copies<kStages - 2>();
            t.sync();  // the step is there, and the one before is done with
            load(t, step + kStages - 1, steps);
            multiply(t, sums, row, column, stage_of(step));
        }
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int n = 0; n < N; ++n)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    put_pair(row + 16 * m + t.lane() / 4 + 8 * half,
                             column + 8 * n + t.lane() % 4 * 2, sums[m][n][2 * half],
                             sums[m][n][2 * half + 1]);
    }

  private:
    static constexpr int kPack = kPackBytes / 2;

    /// A factor's tile in shared memory: rows of 32 or of 128 numbers. 16 bytes between them: the
    /// eight rows of a matrix begin at different banks.
    template <Along kAlong, int kIndices>
    struct Shared {
        static constexpr int kWidth = kAlong == Along::kDepth ? kDepth : kIndices;
        static constexpr int kHeight = kDepth * kIndices / kWidth;
        static constexpr int kStride = 2 * kWidth + kPackBytes;
        static constexpr uint32_t kBytes = kHeight * kStride;

        __device__ static uint32_t place(int index, int at_depth) {
            return kAlong == Along::kDepth ? static_cast<uint32_t>(index * kStride + 2 * at_depth)
                                           : static_cast<uint32_t>(at_depth * kStride + 2 * index);
        }
    };
    using Left = Shared<kLeft, kRows>;
    using Right = Shared<kRight, kColumns>;
    static_assert(kStages * int64_t{Left::kBytes + Right::kBytes} <= kSharedBytes);

    __device__ static uint32_t stage_of(int step) {
        return static_cast<uint32_t>(step % kStages) * (Left::kBytes + Right::kBytes);
    }

    /// Starts a step's copies; a group of none behind the last.
    __device__ void load(const BlockThread& t, int step, int steps) const {
        if (step < steps) {
            load_factor<kLeft, kRows>(t, a, step, stage_of(step));
            load_factor<kRight, kColumns>(t, b, step, stage_of(step) + Left::kBytes);
        }
        t.commit_copies();
    }
    template <Along kAlong, int kIndices>
    __device__ static void load_factor(const BlockThread& t, const TensorFactor& from, int step,
                                       uint32_t to) {
        using Tile = Shared<kAlong, kIndices>;
        constexpr int kPacks = Tile::kWidth / kPack;
        const int first_row = kAlong == Along::kDepth ? 0 : step * kDepth;
        const int first_column = kAlong == Along::kDepth ? step * kDepth : 0;
#pragma unroll
        for (int i = 0; i < Tile::kHeight * kPacks; i += kThreads) {
            const int row = (i + t.thread()) / kPacks, column = (i + t.thread()) % kPacks * kPack;
            const bool there = first_row + row < from.rows && first_column + column < from.columns;
            const int64_t at = there ? (first_row + row) * from.stride + first_column + column : 0;
            t.copy_async<kPackBytes>(to + static_cast<uint32_t>(row * Tile::kStride + 2 * column),
                                     from.first + at, there ? kPackBytes : 0);
        }
    }

    __device__ static void multiply(const BlockThread& t, float (&sums)[M][N][4], int row,
                                    int column, uint32_t stage) {
        // Where this lane's row of the four matrices of a piece begins, see load_matrices: a left
        // factor's registers go down its rows first, a right one's along its depth.
        const int eight = t.lane() / 8 % 2 * 8, sixteen = t.lane() / 16 * 8, one = t.lane() % 8;
        const uint32_t left =
            stage + (kLeft == Along::kDepth ? Left::place(row + one + eight, sixteen)
                                            : Left::place(row + eight, one + sixteen));
        const uint32_t right =
            stage + Left::kBytes +
            (kRight == Along::kDepth ? Right::place(column + one + sixteen, eight)
                                     : Right::place(column + sixteen, one + eight));
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            uint32_t factors[M][4];
#pragma unroll
            for (int m = 0; m < M; ++m)
                load_matrices<kLeft == Along::kIndex>(t, factors[m], left + Left::place(16 * m, k));
#pragma unroll
            for (int n = 0; n < N; n += 2) {
                uint32_t two[4];
                load_matrices<kRight == Along::kIndex>(t, two, right + Right::place(8 * n, k));
#pragma unroll
                for (int m = 0; m < M; ++m) {
                    multiply_add(sums[m][n], factors[m], two[0], two[1]);
                    multiply_add(sums[m][n + 1], factors[m], two[2], two[3]);
                }
            }
        }
    }
};

}  // namespace headroom::cuda
