#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/tensor.h"

namespace headroom {

/// Whether another tool stores a matrix as we do, [in, out], or transposed, [out, in].
enum class Orientation { kSame, kTransposed };

/// Which outputs of a tensor of a file one of ours has: blocks of `width` of them, the first from
/// `begin` on and each `stride` after the one before.
struct OutputBlocks {
    int64_t begin = 0;
    int64_t width = 0;
    int64_t stride = 0;
    int64_t outputs = 0;  ///< of the whole tensor
};

/// Calls copy(i, j) for every number i of a tensor of ours, [in, out] or [out], and its place j in
/// the file's.
template <class Copy>
void for_each_number(const Shape& shape, const OutputBlocks& blocks, Orientation orientation,
                     const Copy& copy) {
    const auto own = static_cast<size_t>(shape.back());
    const auto rows = shape.size() == 1 ? size_t{1} : static_cast<size_t>(shape.front());
    const auto all = static_cast<size_t>(blocks.outputs), width = static_cast<size_t>(blocks.width);
    auto there = static_cast<size_t>(blocks.begin);
    for (size_t here = 0; here < own; here += width, there += static_cast<size_t>(blocks.stride)) {
        if (orientation == Orientation::kSame) {
            for (size_t i = 0; i < rows; ++i)
                for (size_t j = 0; j < width; ++j) copy(i * own + here + j, i * all + there + j);
            continue;
        }
        constexpr size_t kTile = 32;  // both sides stay in the cache
        for (size_t i0 = 0; i0 < rows; i0 += kTile)
            for (size_t j0 = 0; j0 < width; j0 += kTile)
                for (size_t i = i0; i < std::min(rows, i0 + kTile); ++i)
                    for (size_t j = j0; j < std::min(width, j0 + kTile); ++j)
                        copy(i * own + here + j, (there + j) * rows + i);
    }
}

}  // namespace headroom
