#pragma once

namespace headroom::cuda {

/// N numbers that are read and written at once, 16 bytes at most: their address is a multiple of
/// their size, at most of 16. 16 bytes make full use of the memory.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) AlignedVector {
    T numbers[N];

    constexpr T& operator[](int n) { return numbers[n]; }
    constexpr const T& operator[](int n) const { return numbers[n]; }
};

}  // namespace headroom::cuda
