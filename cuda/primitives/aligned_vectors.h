#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>
#ifndef HEADROOM_CUDA_EMULATED
#include <cuda_bf16.h>
#endif

#include "cuda/primitives/aligned_vector.h"
#include "cuda/primitives/divider.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {

/// Numbers in a full pack: 8 bfloat16, 4 float, 2 double.
template <class T>
inline constexpr int kFullPack = static_cast<int>(kPackBytes / sizeof(T));

/// Whether full packs of T may be read at these places.
template <class... Pointers>
bool are_aligned(const Pointers*... places) {
    return ((reinterpret_cast<uintptr_t>(places) % kPackBytes == 0) && ...);
}

/// The pack that begins there. A GPU refuses an address that is not aligned; so does the emulator.
template <int W, class T>
__device__ inline auto pack_at(T* place) {
    using P = std::conditional_t<std::is_const_v<T>, const AlignedVector<std::remove_const_t<T>, W>,
                                 AlignedVector<T, W>>;
#ifdef HEADROOM_CUDA_EMULATED
    simt::check_aligned(place, alignof(P));
#endif
    return reinterpret_cast<P*>(place);
}

template <int W, class T>
__device__ inline AlignedVector<T, W> load(const T* from) {
    return *pack_at<W>(from);
}

/// In the type that it is computed in.
template <class T, int W>
__device__ inline AlignedVector<accumulator_t<T>, W> widened(const AlignedVector<T, W>& stored) {
    AlignedVector<accumulator_t<T>, W> wide;
#pragma unroll
    for (int k = 0; k < W; ++k) wide[k] = static_cast<accumulator_t<T>>(stored[k]);
    return wide;
}
template <int W, class T>
__device__ inline AlignedVector<accumulator_t<T>, W> load_wide(const T* from) {
    return widened(load<W>(from));
}

/// Rounded to the storage type, two bfloat16 with one instruction.
template <class T, class A, int W>
__device__ inline AlignedVector<T, W> narrowed(const AlignedVector<A, W>& wide) {
    AlignedVector<T, W> stored;
#pragma unroll
    for (int k = 0; k < W; ++k) {
#ifdef __CUDA_ARCH__
        if constexpr (std::is_same_v<T, bf16> && W % 2 == 0) {
            const __nv_bfloat162 two = __floats2bfloat162_rn(wide[k / 2 * 2], wide[k / 2 * 2 + 1]);
            stored[k].bits = __bfloat16_as_ushort(k % 2 == 0 ? two.x : two.y);
            continue;
        }
#endif
        stored[k] = static_cast<T>(wide[k]);
    }
    return stored;
}

/// y = values, or y += values, rounded once.
template <class T, class A, int W>
__device__ inline void put(T* y, const AlignedVector<A, W>& values, bool accumulate) {
    AlignedVector<accumulator_t<T>, W> sums;
#pragma unroll
    for (int k = 0; k < W; ++k) sums[k] = static_cast<accumulator_t<T>>(values[k]);
    if (accumulate) {
        const AlignedVector<T, W> before = load<W>(y);
#pragma unroll
        for (int k = 0; k < W; ++k) sums[k] += static_cast<accumulator_t<T>>(before[k]);
    }
    *pack_at<W>(y) = narrowed<T>(sums);
}

/// Calls body.at<W>(first) for every pack and body.at<1>(first) for the numbers after the last.
template <int W, class Body>
struct PackLoop {
    Body body;
    int64_t whole;

    __device__ void operator()(int64_t i) const {
        if (i < whole)
            body.template at<W>(i * W);
        else
            body.template at<1>(whole * W + i - whole);
    }
};

/// body.at<W>(first) for `count` numbers in packs, the last ones one by one; all of them where the
/// places that the body reads and writes are not `aligned`.
template <class T, class Body>
void for_packs(cudaStream_t stream, int64_t count, bool aligned, Body body) {
    constexpr int W = kFullPack<T>;
    const int64_t whole = aligned ? count / W : 0;
    for_each(stream, whole + count - whole * W, PackLoop<W, Body>{body, whole});
}

/// Calls body.at<W>(row, column) for every pack of a matrix.
template <int W, class Body>
struct RowPackLoop {
    Body body;
    int64_t packs;  ///< in a row
    Divider by_packs;

    __device__ void operator()(int64_t i) const {
        const int64_t row = by_packs(i);
        body.template at<W>(row, (i - row * packs) * W);
    }
};

/// body.at<W>(row, column) for the packs of T of a matrix; W = 1 where its rows are no whole packs
/// or the places that the body reads and writes are not `aligned`.
template <class T, class Body>
void for_row_packs(cudaStream_t stream, int64_t rows, int64_t columns, bool aligned, Body body) {
    constexpr int W = kFullPack<T>;
    if (rows * columns == 0) return;
    if (aligned && columns % W == 0)
        for_each(stream, rows * columns / W,
                 RowPackLoop<W, Body>{body, columns / W, Divider(columns / W)});
    else
        for_each(stream, rows * columns, RowPackLoop<1, Body>{body, columns, Divider(columns)});
}

/// y[i] = f({x0[i], x1[i], ...}), read as T and computed in its accumulator type. Reads all of a
/// pack before it writes any: y may lie over an x.
template <class T, int N, class F>
struct MapPacks {
    using A = accumulator_t<T>;
    const T* from[N];
    T* y;
    bool accumulate;
    F f;

    template <int W>
    __device__ void at(int64_t first) const {
        AlignedVector<A, W> in[N], out;
#pragma unroll
        for (int n = 0; n < N; ++n) in[n] = load_wide<W>(from[n] + first);
#pragma unroll
        for (int k = 0; k < W; ++k) {
            A x[N];
#pragma unroll
            for (int n = 0; n < N; ++n) x[n] = in[n][k];
            out[k] = f(x);
        }
        put(y + first, out, accumulate);
    }
};

/// Maps `count` numbers of each x to y.
template <class F, class T, std::same_as<T>... X>
void map_packs(cudaStream_t stream, int64_t count, T* y, bool accumulate, F f, const X*... x) {
    for_packs<T>(stream, count, are_aligned(y, x...),
                 MapPacks<T, sizeof...(X), F>{{x...}, y, accumulate, f});
}

}  // namespace headroom::cuda
