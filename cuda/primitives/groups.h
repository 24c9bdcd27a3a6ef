#pragma once

#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// Neighbouring threads of a warp that share a row: like a Block, but without barriers. All threads
/// of the warp make the same calls, also those that have no row.
class Team {
  public:
    __device__ Team(int thread, int threads) : thread_(thread), threads_(threads) {}

    __device__ int thread() const { return thread_; }
    __device__ int threads() const { return threads_; }

    /// The sum over the threads, in a fixed order; every thread gets it.
    template <class A>
    __device__ A sum(A value) const {
        for (int apart = threads_ / 2; apart > 0; apart /= 2) value += shuffle_xor(value, apart);
        return value;
    }

  private:
    int thread_, threads_;
};

/// f(group, index, exists) for every index below `count`, each by a group of `threads`: a power of
/// two up to a warp, or whole warps up to 256. Groups that are left over get the last index once
/// more and exists = false: they must write nothing.
template <class F>
void for_groups(cudaStream_t stream, int64_t count, int threads, F f) {
    // Sixteen warps of a multiprocessor, at least: fewer would not hide the memory's latency.
    constexpr int kTogether = 128, kBlocks = 4;
    if (threads > 32) {
        for_rows(stream, count, threads,
                 [=] __device__(Block & block, int64_t index) { f(block, index, true); });
        return;
    }
    const int64_t each = kTogether / threads;
    for_rows<kTogether, kBlocks>(stream, (count + each - 1) / each, kTogether,
                                 [=] __device__(Block & block, int64_t index) {
                                     const int lanes = block.threads() == 1 ? 1 : threads;
                                     const int teams = block.threads() / lanes;
                                     Team team(block.thread() % lanes, lanes);
                                     for (int n = block.thread() / lanes; n < each; n += teams) {
                                         const int64_t i = index * each + n;
                                         f(team, i < count ? i : count - 1, i < count);
                                     }
                                 });
}

}  // namespace headroom::cuda
