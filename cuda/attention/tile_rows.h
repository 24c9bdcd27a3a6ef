#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/attention/problem.h"
#include "cuda/attention/tile_shapes.h"
#include "cuda/primitives/block_thread.h"

// What attention's tiles of bfloat16 and of float32 have in common: how rows of heads come into
// shared memory, and what the lanes that have a row's numbers find out together.

namespace headroom::cuda {

/// Rows of a head that a tile is loaded from.
struct TileRows {
    const std::byte* first;  ///< not null, even where no row is there
    int64_t stride;          ///< bytes from row to row
    int rows;                ///< that are there; the others of the tile are zeros
    int bytes;               ///< of a row that are there

    __device__ TileRows(const HeadAt& head, const void* somewhere, int64_t row, int rows_,
                        int width, int number_bytes = 2)
        : first(static_cast<const std::byte*>(head.data == nullptr ? somewhere : head.data)),
          stride(number_bytes * head.columns),
          rows(head.data == nullptr || rows_ < 0 ? 0 : rows_),
          bytes(number_bytes * width) {
        if (rows > 0) first += row * stride;
    }
};

/// Bytes of a piece of kBytes at `column` that are there.
template <int kBytes>
__device__ inline int valid_bytes(const TileRows& from, int column) {
    const int valid = from.bytes - column;
    return valid < 0 ? 0 : valid < kBytes ? valid : kBytes;
}

template <int kBytes>
__device__ inline void load_piece(const BlockThread& t, uint32_t to, const std::byte* from,
                                  int valid) {
    if constexpr (kBytes == 2)
        t.store(to, valid > 0 ? load_global<uint16_t>(from) : uint16_t{0});
    else
        t.copy_async<kBytes>(to, from, valid);
}

template <int kBytes, int kRows, int kWidth, int kThreads>
__device__ inline void load_tile_by(const BlockThread& t, uint32_t to, const TileRows& from) {
    constexpr int kPieces = 2 * kWidth / kBytes;
    // The loops are not unrolled: addresses would be kept for the next tile, and registers are
    // scarce.
    if constexpr (kThreads % kPieces == 0) {
        // Each thread has a column of pieces of its own.
        constexpr int kStep = kThreads / kPieces;
        const int column = t.thread() % kPieces * kBytes, valid = valid_bytes<kBytes>(from, column);
        int row = t.thread() / kPieces;
        const std::byte* at = from.first + row * from.stride + (valid > 0 ? column : 0);
        to += static_cast<uint32_t>(row * row_stride(kWidth) + column);
#pragma unroll 1
        for (; row < kRows; row += kStep) {
            const bool there = row < from.rows;
            load_piece<kBytes>(t, to, there ? at : from.first, there ? valid : 0);
            at += kStep * from.stride;
            to += kStep * row_stride(kWidth);
        }
    } else {
#pragma unroll 1
        for (int i = t.thread(); i < kRows * kPieces; i += kThreads) {
            const int row = i / kPieces, column = i % kPieces * kBytes;
            const int valid = row < from.rows ? valid_bytes<kBytes>(from, column) : 0;
            load_piece<kBytes>(t, to + static_cast<uint32_t>(row * row_stride(kWidth) + column),
                               valid > 0 ? from.first + row * from.stride + column : from.first,
                               valid);
        }
    }
}

/// Starts to load a tile, all threads of the block together; the rest is zeros. Its rows are
/// kWidth pairs of bytes long: float32 ones are twice as wide.
template <int kRows, int kWidth, int kThreads>
__device__ inline void load_tile(const BlockThread& t, uint32_t to, const TileRows& from,
                                 int alignment) {
    if (alignment == 16)
        load_tile_by<16, kRows, kWidth, kThreads>(t, to, from);
    else if (alignment == 8)
        load_tile_by<8, kRows, kWidth, kThreads>(t, to, from);
    else if (alignment == 4)
        load_tile_by<4, kRows, kWidth, kThreads>(t, to, from);
    else
        load_tile_by<2, kRows, kWidth, kThreads>(t, to, from);
}

/// Over the kLanes neighbouring lanes that have a row's numbers.
template <int kLanes>
__device__ inline float most_of_row(const BlockThread& t, float x) {
#pragma unroll
    for (int apart = 1; apart < kLanes; apart *= 2) {
        const float other = t.shuffle_xor(x, apart);
        x = other > x ? other : x;
    }
    return x;
}
template <int kLanes>
__device__ inline float sum_of_row(const BlockThread& t, float x) {
#pragma unroll
    for (int apart = 1; apart < kLanes; apart *= 2) x += t.shuffle_xor(x, apart);
    return x;
}

}  // namespace headroom::cuda
