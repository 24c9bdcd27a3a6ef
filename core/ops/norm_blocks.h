#pragma once

#include <algorithm>
#include <cstdint>

namespace headroom {

/// The rows of a norm cut into blocks, each of which sums its part of the gain's gradient on its
/// own; the parts are then added in the order of the blocks. The cut depends on the number of rows
/// alone, so that the sum has the same bits for any number of threads.
struct GainBlocks {
    int64_t rows = 0;   ///< per block
    int64_t count = 0;  ///< at most kMost
    static constexpr int64_t kMost = 64;
    static constexpr int64_t kFewestRows = 16;
};

inline GainBlocks gain_blocks(int64_t rows) {
    const int64_t per_block =
        std::max(GainBlocks::kFewestRows, (rows + GainBlocks::kMost - 1) / GainBlocks::kMost);
    return {per_block, (rows + per_block - 1) / per_block};
}

}  // namespace headroom
