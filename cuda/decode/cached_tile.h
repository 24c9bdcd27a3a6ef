#pragma once

#include <cstdint>

#include "core/base/bf16.h"
#include "cuda/attention/tile_shapes.h"
#include "cuda/decode/segment_table.h"
#include "cuda/primitives/aligned_vector.h"
#include "cuda/primitives/block_thread.h"

namespace headroom::cuda {

/// Positions of a cached head that a tile is loaded from.
struct CachedRows {
    const SegmentAt* list;
    HeadSegments head;  ///< not empty, `vectors`
    int sequence, first;
    int rows;  ///< that are there; the others of the tile are zeros, as are columns of no segment
};

/// Starts to load a tile of bfloat16, all threads of the block together.
template <int kRows, int kWidth, int kThreads>
__device__ inline void load_cached_tile(const BlockThread& t, uint32_t to, const CachedRows& from) {
    constexpr int kPieces = 2 * kWidth / kPackBytes;
    // Not unrolled: registers are scarce.
#pragma unroll 1
    for (int i = t.thread(); i < kRows * kPieces; i += kThreads) {
        const int row = i / kPieces, column = i % kPieces * (kPackBytes / 2);
        const void* place = from.list[from.head.first].data;
        int valid = 0;
        for (int n = from.head.first; row < from.rows && n < from.head.end; ++n) {
            const SegmentAt& s = from.list[n];
            if (!s.covers(column)) continue;
            place = static_cast<const bf16*>(s.data) + from.sequence * s.sequence +
                    (from.first + row) * s.stride + (column - s.at);
            valid = kPackBytes;
        }
        t.copy_async<kPackBytes>(to + static_cast<uint32_t>(row * row_stride(kWidth) + 2 * column),
                                 place, valid);
    }
}

}  // namespace headroom::cuda
