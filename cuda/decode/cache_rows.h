#pragma once

#include "cuda/decode/decode_memory.h"

namespace headroom::cuda {

/// Lays positions of one sequence's cache into shared memory, weights of the segments applied: by
/// all kThreads of a block.
template <class T, int kThreads>
class CacheRows {
    using A = accumulator_t<T>;

  public:
    __device__ CacheRows(const Decoding<T>& d, const DecodeMemory<T>& memory, int thread, int b)
        : d_(d), memory_(memory), thread_(thread), b_(b) {}

    /// Positions [at, at + count) of the segments of a head, `width` columns of each.
    __device__ void load(const SegmentAt* list, const HeadSegments& head, int at, int count,
                         int width) const {
        if (head.vectors)
            load_in<16 / static_cast<int>(sizeof(T))>(list, head, at, count, width);
        else
            load_in<1>(list, head, at, count, width);
    }

  private:
    /// N columns at a time, of which several are under way at once.
    template <int N>
    __device__ void load_in(const SegmentAt* list, const HeadSegments& head, int at, int count,
                            int width) const {
        constexpr int kAtOnce = 4;
        const int per_row = width / N, items = count * per_row;
        const SegmentAt none{nullptr, 0, 0, 0, 0, {0, 0}};
        const SegmentAt first = head.first < head.end ? list[head.first] : none;
        const A factor = first.factor.at(d_.lambda);
        for (int start = thread_; start < items; start += kAtOnce * kThreads) {
            AlignedVector<T, N> raw[kAtOnce];
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                const int i = start + u * kThreads, c = i % per_row * N;
                if (i < items && first.covers(c)) raw[u] = numbers<N>(first, at + i / per_row, c);
            }
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                const int i = start + u * kThreads, c = i % per_row * N;
                if (i >= items) continue;
                A sum[N] = {};
                if (first.covers(c)) add<N>(sum, raw[u], factor);
                for (int n = head.first + 1; n < head.end; ++n)
                    if (list[n].covers(c))
                        add<N>(sum, numbers<N>(list[n], at + i / per_row, c),
                               list[n].factor.at(d_.lambda));
                keep<N>(i / per_row * d_.plan.row_stride + c, sum);
            }
        }
    }
    template <int N>
    __device__ AlignedVector<T, N> numbers(const SegmentAt& s, int position, int column) const {
        const T* row = static_cast<const T*>(s.data) + b_ * s.sequence + position * s.stride;
        return *reinterpret_cast<const AlignedVector<T, N>*>(row + (column - s.at));
    }
    template <int N>
    __device__ static void add(A* sum, const AlignedVector<T, N>& x, A factor) {
#pragma unroll
        for (int n = 0; n < N; ++n) sum[n] += factor * static_cast<A>(x[n]);
    }
    template <int N>
    __device__ void keep(int place, const A* sum) const {
        constexpr int kStored = N % 4 == 0 ? 4 : N;
#pragma unroll
        for (int from = 0; from < N; from += kStored) {
            AlignedVector<A, kStored> part;
#pragma unroll
            for (int x = 0; x < kStored; ++x) part[x] = sum[from + x];
            memory_.set_all(place + from, part);
        }
    }

    const Decoding<T>& d_;
    const DecodeMemory<T>& memory_;
    int thread_, b_;
};

}  // namespace headroom::cuda
