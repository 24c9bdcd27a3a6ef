#pragma once

#include <cstdint>

#include "core/base/bf16.h"
#include "cuda/primitives/block_thread.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {

/// Where rows of sums go to, rounded to bfloat16.
struct RowTarget {
    bf16* first;
    int64_t columns;  ///< from row to row
    int rows, width;  ///< that are there
    bool add;         ///< to what is there

    /// Numbers at columns c and c + 1, c even.
    __device__ void put_pair(int row, int c, float low, float high) const {
        if (row >= rows || c >= width) return;
        bf16* to = first + row * columns + c;
        if (width % 2 == 0) {
            if (add) {
                const auto before = load_global<uint32_t>(to);
                low += low_of(before);
                high += high_of(before);
            }
            store_global(to, pack(low, high));
            return;
        }
        to[0] = bf16(add ? static_cast<float>(to[0]) + low : low);
        if (c + 1 < width) to[1] = bf16(add ? static_cast<float>(to[1]) + high : high);
    }
};

}  // namespace headroom::cuda
