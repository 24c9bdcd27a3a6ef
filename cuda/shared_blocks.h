#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/launch.h"

namespace headroom::cuda {

#ifdef HEADROOM_CUDA_EMULATED

template <class F>
void for_shared_blocks(cudaStream_t stream, int64_t blocks, int threads, int64_t shared_bytes,
                       F f) {
    if (simt::settings().many_threads) {
        simt::run_blocks({static_cast<int>(blocks), 1, 1}, threads,
                         kRowScratch + static_cast<size_t>(shared_bytes), [&] {
                             Block block(false);
                             f(block, static_cast<int64_t>(simt::block()[0]),
                               simt::unwatched_shared_memory() + kRowScratch);
                         });
        return;
    }
    for_rows(stream, blocks, threads, [=](Block& block, int64_t index) {
        std::vector<std::max_align_t> shared(static_cast<size_t>(shared_bytes) / 16 + 1);
        f(block, index, reinterpret_cast<std::byte*>(shared.data()));
    });
}

#else

template <class F>
__global__ void shared_block_kernel(F f) {
    extern __shared__ uint4 shared[];
    Block block;
    f(block, static_cast<int64_t>(blockIdx.x), reinterpret_cast<std::byte*>(shared));
}

/// f(block, index, shared) for every index below `blocks`, each by one block of `threads` (a
/// multiple of 32, at most 1024) with `shared_bytes` of memory that they share, garbage at first.
template <class F>
void for_shared_blocks(cudaStream_t stream, int64_t blocks, int threads, int64_t shared_bytes,
                       F f) {
    if (blocks == 0) return;
    constexpr int64_t kWithoutAsking = 48 * 1024;
    if (shared_bytes > kWithoutAsking)
        check(cudaFuncSetAttribute(shared_block_kernel<F>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)),
              "reserve shared memory");
    shared_block_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                          static_cast<size_t>(shared_bytes), stream>>>(f);
    check(cudaGetLastError(), "start a kernel");
}

#endif

}  // namespace headroom::cuda
