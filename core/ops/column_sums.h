#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/dtype.h"
#include "core/cpu/parallel.h"
#include "core/ops/norm_blocks.h"
#include "core/ops/store.h"

// Sums over all rows in the fixed order of norm_blocks.h: every block of rows sums its part into
// its own row of a workspace, then the parts are added in the order of the blocks.

namespace headroom {

/// Bytes of the workspace for `width` sums over `rows` rows.
inline int64_t block_sums_bytes(int64_t rows, int64_t width, DType dtype) {
    return gain_blocks(rows).count * width * static_cast<int64_t>(size_of(dtype));
}

/// Calls add(row, sums) for every row; `sums` are the block's own, zero at first. Returns the
/// number of blocks.
template <class A, class Add>
int64_t sum_by_blocks(int64_t rows, int64_t width, A* partial, Add&& add) {
    const GainBlocks blocks = gain_blocks(rows);
    parallel_for(blocks.count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            A* sums = partial + block * width;
            std::fill_n(sums, width, A{0});
            const int64_t last = std::min(rows, (block + 1) * blocks.rows);
            for (int64_t row = block * blocks.rows; row < last; ++row) add(row, sums);
        }
    });
    return blocks.count;
}

/// to = the total of sums [first, first + count), or to += it.
template <class A>
void add_blocks(const A* partial, int64_t blocks, int64_t width, int64_t first, int64_t count,
                A* to, bool accumulate) {
    for (int64_t c = 0; c < count; ++c) {
        A sum = 0;
        for (int64_t block = 0; block < blocks; ++block) sum += partial[block * width + first + c];
        store(to[c], sum, accumulate);
    }
}

}  // namespace headroom
