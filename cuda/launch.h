#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "cuda/check.h"

namespace headroom::cuda {

/// How all kernels of this device are written: as a function of an element (for_each) or of a row
/// that the threads of one block share (for_rows). Loops run from thread() in steps of threads(),
/// so that a block may have any number of threads, also one: tests/cuda/emulation runs the very
/// same functions on the host.
#ifdef HEADROOM_CUDA_EMULATED
inline constexpr int kWarp = 1;
#else
inline constexpr int kWarp = 32;
#endif

/// The threads that work on one row. All of them make the same calls.
class Block {
  public:
#ifdef HEADROOM_CUDA_EMULATED
    int thread() const {
        return 0;
    }
    int threads() const {
        return 1;
    }
    void sync() const {}
    template <class A>
    A sum(A value) {
        return value;
    }
    template <class A>
    A max(A value) {
        return value;
    }
    template <class V>
    V from_first(V value) {
        return value;
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

    /// The sum over the threads, in a fixed order; every thread gets it.
    template <class A>
    __device__ A sum(A value) {
        return reduce(value, [](A a, A b) { return a + b; });
    }
    template <class A>
    __device__ A max(A value) {
        return reduce(value, [](A a, A b) { return a > b ? a : b; });
    }
    /// The first thread's value, for every thread: what would cost each of them much to compute.
    template <class V>
    __device__ V from_first(V value) {
        __shared__ V shared;
        __syncthreads();  // the last value has been read
        if (thread() == 0) shared = value;
        __syncthreads();
        return shared;
    }

  private:
    template <class A, class Join>
    __device__ A reduce(A value, Join join) {
        for (int apart = 16; apart > 0; apart /= 2)
            value = join(value, __shfl_xor_sync(0xffffffffu, value, apart));
        const int warps = threads() / 32;
        if (warps == 1) return value;
        __shared__ A of_warp[32];
        __syncthreads();  // the last reduction's numbers have been read
        if (thread() % 32 == 0) of_warp[thread() / 32] = value;
        __syncthreads();
        value = of_warp[0];
        for (int w = 1; w < warps; ++w) value = join(value, of_warp[w]);
        return value;
    }
#endif
};

#ifdef HEADROOM_CUDA_EMULATED

template <class F>
void for_each(cudaStream_t stream, int64_t count, F f) {
    emulate_launch(stream, [=] {
        for (int64_t i = 0; i < count; ++i) f(i);
    });
}

template <class F>
void for_rows(cudaStream_t stream, int64_t rows, int /*threads*/, F f) {
    emulate_launch(stream, [=] {
        for (int64_t row = 0; row < rows; ++row) {
            Block block;
            f(block, row);
        }
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

/// f(block, row) for every row, each by one block of `threads` (a multiple of 32, at most 1024).
template <class F>
void for_rows(cudaStream_t stream, int64_t rows, int threads, F f) {
    if (rows == 0) return;
    row_kernel<<<static_cast<unsigned>(rows), static_cast<unsigned>(threads), 0, stream>>>(f);
    check(cudaGetLastError(), "start a kernel");
}

#endif

}  // namespace headroom::cuda
