#pragma once

namespace headroom::cuda {

/// The most that is read or written at once.
inline constexpr int kPackBytes = 16;

/// N numbers that are read and written at once, 16 bytes at most: their address is a multiple of
/// their size, at most of 16. 16 bytes make full use of the memory.
template <class T, int N>
struct alignas(N * sizeof(T) < kPackBytes ? N * sizeof(T) : kPackBytes) AlignedVector {
    T numbers[N];

    constexpr T& operator[](int n) { return numbers[n]; }
    constexpr const T& operator[](int n) const { return numbers[n]; }
};

}  // namespace headroom::cuda
