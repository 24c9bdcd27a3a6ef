#pragma once

#include <algorithm>

#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/groups.h"

namespace headroom::cuda {

/// How many threads work on a row of `columns` numbers, in packs of `width`, `held` of which stay
/// in the registers of a thread: a part of a warp or a warp, without barriers, up to 96 packs, a
/// block beyond.
struct RowGeometry {
    int width, held, threads;

    /// `full` numbers to a full pack; false: the places of the rows are not `aligned`.
    RowGeometry(int64_t columns, int full, bool aligned)
        : width(aligned && columns % full == 0 ? full : 1) {
        constexpr int64_t kWarpThreads = 32, kHeld = 3;
        const int64_t packs = columns / width;
        int64_t needed = 1;
        while (needed < packs && needed < kWarpThreads) needed *= 2;
        if (packs > kHeld * kWarpThreads)
            needed = (packs + kHeld * kWarpThreads - 1) / (kHeld * kWarpThreads) * kWarpThreads;
        // A block of more threads may not find enough registers.
        threads = static_cast<int>(needed < 256 ? needed : 256);
        held = static_cast<int>(std::clamp<int64_t>((packs + threads - 1) / threads, 1, kHeld));
    }
};

/// Calls f.operator()<width, held>(), with no more registers than full packs need: a row of 768
/// bfloat16 has three in every lane of a warp.
template <class T, class F>
void with_geometry(const RowGeometry& g, F&& f) {
    constexpr int kFull = kFullPack<T>;
    if (g.width != kFull)
        g.held == 1 ? f.template operator()<1, 1>() : f.template operator()<1, 3>();
    else if (g.held == 1)
        f.template operator()<kFull, 1>();
    else
        g.held == 2 ? f.template operator()<kFull, 2>() : f.template operator()<kFull, 3>();
}

/// f(n, c) for the packs of a row that fall to a thread: pack n < kHeld at column c, then any
/// further ones, with n = kHeld, of rows that are longer than the registers of a group.
template <int W, int kHeld, class Group, class F>
__device__ inline void each_pack(const Group& group, int columns, F f) {
#pragma unroll
    for (int n = 0; n < kHeld; ++n) {
        const int c = (group.thread() + n * group.threads()) * W;
        if (c < columns) f(n, c);
    }
    for (int c = (group.thread() + kHeld * group.threads()) * W; c < columns;
         c += group.threads() * W)
        f(kHeld, c);
}

/// A row of which each thread keeps its packs.
template <class T, int W, int kHeld>
struct HeldRow {
    AlignedVector<T, W> held[kHeld];
    const T* row;

    /// Reads nothing where nobody wants it.
    template <class Group>
    __device__ HeldRow(const Group& group, const T* row_, int columns, bool wanted = true)
        : row(row_) {
#pragma unroll
        for (int n = 0; n < kHeld; ++n) {
            const int c = (group.thread() + n * group.threads()) * W;
            if (wanted && c < columns) held[n] = load<W>(row + c);
        }
    }
    /// Keeps the compiler from holding on to the wider numbers that it has made from the packs,
    /// which take twice the registers of bfloat16: with them a norm's backward pass has room for
    /// three blocks on a multiprocessor, without them for four.
    __device__ void forget_wide() {
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(T) == 2 && W % 2 == 0) {
            auto* words = reinterpret_cast<uint32_t*>(held);
#pragma unroll
            for (int i = 0; i < kHeld * W / 2; ++i) asm volatile("" : "+r"(words[i]));
        }
#endif
    }

    /// AlignedVector n of each_pack, at column c.
    __device__ AlignedVector<accumulator_t<T>, W> at(int n, int c) const {
        return n < kHeld ? widened(held[n]) : load_wide<W>(row + c);
    }
};

}  // namespace headroom::cuda
