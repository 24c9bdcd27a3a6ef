#pragma once

#include <cstdint>

#include "cuda/decode/decoding.h"
#include "cuda/primitives/aligned_vector.h"
#include "cuda/primitives/block_thread.h"

namespace headroom::cuda {

/// The shared memory of a decode block, addressed by a number's place: positions at its start, then
/// queries, sums, scores and what is known of each query.
template <class T>
class DecodeMemory {
    using A = accumulator_t<T>;

  public:
    static constexpr int kParts = static_cast<int>(kScoreParts);

    __device__ DecodeMemory(const DecodeNumbers& plan, const BlockThread& thread)
        : queries_(plan.queries),
          positions_(plan.positions),
          query_width_(static_cast<int>(padded(plan.query_width))),
          out_width_(static_cast<int>(padded(plan.out_width))),
          thread_(thread) {
        q_ = positions_ * plan.row_stride;
        sums_ = q_ + queries_ * query_width_;
        scores_ = sums_ + plan.stripes * queries_ * out_width_;
        most_ = scores_ + plan.dot_parts * queries_ * positions_;
        part_most_ = most_ + queries_ * kParts;
        total_ = part_most_ + queries_ * kParts;
        rescale_ = total_ + queries_ * kParts;
        seen_ = rescale_ + queries_;
    }

    /// Widths of a query and of an output in it.
    __device__ int query_width() const { return query_width_; }
    __device__ int out_width() const { return out_width_; }

    // Places.
    __device__ int query(int n) const { return q_ + n * query_width_; }
    __device__ int sum(int stripe, int n) const {
        return sums_ + (stripe * queries_ + n) * out_width_;
    }
    __device__ int score(int part, int n) const {
        return scores_ + (part * queries_ + n) * positions_;
    }
    __device__ int most(int n) const { return most_ + n * kParts; }
    __device__ int part_most(int n) const { return part_most_ + n * kParts; }
    __device__ int total(int n) const { return total_ + n * kParts; }
    __device__ int rescale(int n) const { return rescale_ + n; }

    __device__ A get(int place) const { return thread_.template load<A>(bytes(place)); }
    __device__ void set(int place, A value) const { thread_.store(bytes(place), value); }
    __device__ AlignedVector<A, 4> four(int place) const {
        return thread_.template load<AlignedVector<A, 4>>(bytes(place));
    }
    template <int N>
    __device__ void set_all(int place, const AlignedVector<A, N>& values) const {
        thread_.store(bytes(place), values);
    }
    /// How many positions query n attends to.
    __device__ int seen(int n) const { return thread_.template load<int>(bytes(seen_ + n)); }
    __device__ void set_seen(int n, int count) const { thread_.store(bytes(seen_ + n), count); }

  private:
    __device__ static uint32_t bytes(int place) {
        return static_cast<uint32_t>(place) * static_cast<uint32_t>(sizeof(A));
    }

    int queries_, positions_, query_width_, out_width_;
    const BlockThread& thread_;
    int q_, sums_, scores_, most_, part_most_, total_, rescale_, seen_;
};

}  // namespace headroom::cuda
