#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "core/base/error.h"
#include "cuda/device/check.h"
#include "cuda/primitives/block_thread.h"

namespace headroom::cuda {

/// How the kernels of this device are written: as a function of an element (for_each), of a row
/// that the threads of one block share (for_rows), or of a thread that works with the others of
/// its block, with shared memory and tensor cores (for_blocks). The loops of for_rows run from
/// thread() in steps of threads(), so that a block may have any number of threads, also one:
/// tests/cuda/emulation runs the very same functions on the host, with one thread or with all.
#ifdef HEADROOM_CUDA_EMULATED
/// Rows may have one thread. A row of n kWarp threads has 32 n where simt::Settings asks for all.
inline constexpr int kWarp = 1;
#else
inline constexpr int kWarp = 32;
#endif

/// The value of the lane of the warp whose number differs by `mask`; all lanes make the call.
template <class A>
__device__ inline A shuffle_xor(A value, int mask) {
#ifdef HEADROOM_CUDA_EMULATED
    return simt::shuffle_xor(value, mask);
#else
    return __shfl_xor_sync(0xffffffffu, value, mask);
#endif
}

/// Until all lanes of the warp are here; what they wrote and read before has happened.
__device__ inline void sync_warp() {
#ifdef HEADROOM_CUDA_EMULATED
    simt::sync_warp();
#else
    __syncwarp();
#endif
}

/// The threads that work on one row. All of them make the same calls, each of which is a barrier
/// too: what a thread read before it may be overwritten by the others after it.
class Block {
  public:
#ifdef HEADROOM_CUDA_EMULATED
    explicit Block(bool alone) : alone_(alone) {}
    int thread() const {
        return alone_ ? 0 : simt::thread();
    }
    int threads() const {
        return alone_ ? 1 : simt::threads();
    }
    void sync() const {
        if (!alone_) simt::sync();
    }
#else
    __device__ int thread() const {
        return static_cast<int>(threadIdx.x);
    }
    __device__ int threads() const {
        return static_cast<int>(blockDim.x);
    }
    __device__ void sync() const {
        __syncthreads();
    }
#endif

    /// The sum over the threads, in a fixed order; every thread gets it.
    template <class A>
    __device__ A sum(A value) {
        return reduce<1>(value, [](A a, A b) { return a + b; });
    }
    template <class A>
    __device__ A max(A value) {
        return reduce<1>(value, [](A a, A b) { return a > b ? a : b; });
    }
    /// The sum over every kLanes-th thread, this one among them, in a fixed order. kLanes: a power
    /// of two, at most 8. A row's only thread has to add up itself.
    template <int kLanes, class A>
    __device__ A sum_of_lanes(A value) {
        return reduce<kLanes>(value, [](A a, A b) { return a + b; });
    }

  private:
#ifdef HEADROOM_CUDA_EMULATED
    bool alone_;
#endif

    /// Over every kLanes-th thread.
    template <int kLanes, class A, class Join>
    __device__ A reduce(A value, Join join) {
#ifdef HEADROOM_CUDA_EMULATED
        if (alone_) return value;
        simt::SharedArray<A> of_warp;
#else
        __shared__ A of_warp[32 * kLanes];
#endif
        for (int apart = 16; apart >= kLanes; apart /= 2)
            value = join(value, shuffle_xor(value, apart));
        const int warps = threads() / 32, lane = thread() % kLanes;
        if (warps == 1) {
            sync_warp();  // shuffles alone do not order memory
            return value;
        }
        sync();  // the last reduction's numbers have been read
        if (thread() % 32 < kLanes) of_warp[thread() / 32 * kLanes + lane] = value;
        sync();
        value = of_warp[lane];
        for (int w = 1; w < warps; ++w) value = join(value, of_warp[w * kLanes + lane]);
        return value;
    }
};

/// The blocks of for_blocks: x runs fastest, and blocks begin about in this order. y and z are at
/// most 65535.
struct Grid {
    int64_t x = 1, y = 1, z = 1;
};

/// What a block may have of shared memory on this device, in bytes.
inline int64_t shared_memory_limit() {
    int device = 0, bytes = 0;
    check(cudaGetDevice(&device), "find its device");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "tell its shared memory");
    return bytes;
}

/// A launch of more threads than a kernel was compiled for fails on a device alone, and late.
inline void check_row_threads(int threads, int most) {
    CHECK(threads > 0 && threads <= most, "as many threads as the kernel's registers allow");
}

#ifdef HEADROOM_CUDA_EMULATED

template <class F>
void for_each(cudaStream_t stream, int64_t count, F f) {
    emulate_launch(stream, [=] {
        for (int64_t i = 0; i < count; ++i) f(i);
    });
}

/// Shared memory of Block's own operations.
inline constexpr size_t kRowScratch = 2048;

template <int kMostThreads = 256, int kBlocksOfProcessor = 1, class F>
void for_rows(cudaStream_t stream, int64_t rows, int threads, F f) {
    check_row_threads(threads, kMostThreads);
    emulate_launch(stream, [=] {
        if (simt::settings().many_threads) {
            simt::run_blocks({static_cast<int>(rows), 1, 1}, threads < 32 ? 32 * threads : threads,
                             kRowScratch, [&] {
                                 Block block(false);
                                 f(block, static_cast<int64_t>(simt::block()[0]));
                             });
            return;
        }
        Block block(true);
        for (int64_t row = 0; row < rows; ++row) f(block, row);
    });
}

template <int kThreads, int kBlocksOfProcessor = 1, class F>
void for_blocks(cudaStream_t stream, Grid grid, int64_t shared_bytes, F f) {
    emulate_launch(stream, [=] {
        simt::run_blocks(
            {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)},
            kThreads, static_cast<size_t>(shared_bytes), [&] { f(BlockThread{}); });
    });
}

#else

inline constexpr int kElementThreads = 256;

template <class F>
__global__ void element_kernel(int64_t count, F f) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count;
         i += step)
        f(i);
}

template <class F>
__global__ void row_kernel(F f) {
    Block block;
    f(block, static_cast<int64_t>(blockIdx.x));
}
template <int kMostThreads, class F>
__global__ void __launch_bounds__(kMostThreads) wide_row_kernel(F f) {
    Block block;
    f(block, static_cast<int64_t>(blockIdx.x));
}
template <int kMostThreads, int kBlocksOfProcessor, class F>
__global__ void __launch_bounds__(kMostThreads, kBlocksOfProcessor) bounded_row_kernel(F f) {
    Block block;
    f(block, static_cast<int64_t>(blockIdx.x));
}

template <int kThreads, int kBlocksOfProcessor, class F>
__global__ void __launch_bounds__(kThreads, kBlocksOfProcessor)
    block_kernel(const __grid_constant__ F f) {
    f(BlockThread{});
}

/// f(i) for every i below `count`, in any order.
template <class F>
void for_each(cudaStream_t stream, int64_t count, F f) {
    if (count == 0) return;
    constexpr int64_t kMostBlocks = 1 << 20;
    const int64_t blocks = (count + kElementThreads - 1) / kElementThreads;
    element_kernel<<<static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks),
                     kElementThreads, 0, stream>>>(count, f);
    check(cudaGetLastError(), "start a kernel");
}

/// f(block, row) for every row, each by one block of `threads`: a multiple of 32, at most
/// kMostThreads <= 1024. The more they may be, and the more blocks a multiprocessor should hold at
/// once, the fewer registers each has. InternalError for more.
template <int kMostThreads = 256, int kBlocksOfProcessor = 1, class F>
void for_rows(cudaStream_t stream, int64_t rows, int threads, F f) {
    check_row_threads(threads, kMostThreads);
    if (rows == 0) return;
    // 256 threads find their registers however many they are: a bound would only make ptxas spill.
    const auto kernel = [] {
        if constexpr (kBlocksOfProcessor > 1)
            return bounded_row_kernel<kMostThreads, kBlocksOfProcessor, F>;
        else if constexpr (kMostThreads > 256)
            return wide_row_kernel<kMostThreads, F>;
        else
            return row_kernel<F>;
    }();
    kernel<<<static_cast<unsigned>(rows), static_cast<unsigned>(threads), 0, stream>>>(f);
    check(cudaGetLastError(), "start a kernel");
}

/// f(BlockThread) by each of the `kThreads` threads of every block of the grid, with so many bytes
/// of shared memory (at most shared_memory_limit()). f must be trivially copyable and `const` when
/// called. kBlocksOfProcessor: how many blocks a multiprocessor should hold at once, which limits
/// the registers.
template <int kThreads, int kBlocksOfProcessor = 1, class F>
void for_blocks(cudaStream_t stream, Grid grid, int64_t shared_bytes, F f) {
    if (grid.x * grid.y * grid.z == 0) return;
    const auto kernel = block_kernel<kThreads, kBlocksOfProcessor, F>;
    constexpr int64_t kWithoutAsking = 48 << 10;
    if (shared_bytes > kWithoutAsking)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)),
              "reserve shared memory");
    kernel<<<dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                  static_cast<unsigned>(grid.z)),
             kThreads, static_cast<size_t>(shared_bytes), stream>>>(f);
    check(cudaGetLastError(), "start a kernel");
}

#endif

}  // namespace headroom::cuda
