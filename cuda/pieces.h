#pragma once

#include <cstdint>

namespace headroom::cuda {

/// Kernels that go over many tensors in one launch cut each into pieces of this many numbers, one
/// for each block of threads. Fixed, so that sums are. A multiple of 4: see Four.
inline constexpr int64_t kPiece = 8192;

inline int64_t pieces_of(int64_t count) {
    return (count + kPiece - 1) / kPiece;
}

/// Numbers of a tensor that one thread loads and stores at once. Tensors of the arena and pieces
/// of them are aligned for it.
template <class T>
struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four {
    T at[4];
};

template <class T>
__device__ inline Four<T>& four(T* x) {
    return *reinterpret_cast<Four<T>*>(x);
}
template <class T>
__device__ inline const Four<T>& four(const T* x) {
    return *reinterpret_cast<const Four<T>*>(x);
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
