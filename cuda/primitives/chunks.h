#pragma once

#include <cstdint>

namespace headroom::cuda {

/// Kernels that go over many tensors in one launch cut each into pieces of this many numbers, one
/// for each block of threads. Fixed, so that sums are, and whole packs.
inline constexpr int64_t kPiece = 8192;

inline int64_t pieces_of(int64_t count) {
    return (count + kPiece - 1) / kPiece;
}

/// The entry of a table that owns piece `piece`: the last whose first_piece is not above it.
template <class Entry>
__device__ inline const Entry& owner_of(const Entry* entries, int count, int64_t piece) {
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (entries[middle].first_piece <= piece)
            low = middle;
        else
            high = middle - 1;
    }
    return entries[low];
}

}  // namespace headroom::cuda
