#pragma once

#include <cmath>

#include "cuda/decode/block_place.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/exponential.h"

namespace headroom::cuda {

/// One block with few queries, all R of them in every thread: neighbouring lanes of a warp, a team,
/// share a position, 16 bytes of its key and of its value each, which go from memory to registers
/// and nowhere else. Teams walk over the piece in turns, several positions at once, with a running
/// maximum of their own; what they found is added up at the end, in the order of the teams.
template <class T, int R>
class StreamingBlock {
    using A = accumulator_t<T>;

  public:
    static constexpr int kThreads = kStreamingThreads, kBlocksOfProcessor = R == 1 ? 4 : 2;

    __device__ StreamingBlock(const Decoding<T>& d, const BlockThread& thread)
        : d_(d),
          thread_(thread),
          place_(d, thread.block_x()),
          lanes_(d.plan.lanes),
          teams_(kThreads / lanes_),
          team_(thread.thread() / lanes_),
          column_(thread.thread() % lanes_ * N) {}

    __device__ void run() {
        if (place_.is_idle()) return;
        const Cached keys(d_, d_.keys, d_.key_heads[place_.kv_head()], place_.sequence(), column_);
        const Cached values(d_, d_.values, d_.value_heads[place_.kv_head()], place_.sequence(),
                            column_);
        Row queries[R];
        const int end = place_.end();
        int ends[R];  // of what each query attends to
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int seen = place_.seen(r);
            ends[r] = seen < end ? seen : end;
#pragma unroll
            for (int x = 0; x < N; ++x) queries[r][x] = place_.query(r, column_ + x);
        }
        Running running[R];
        // As many rounds for every team, so that the lanes of a warp stay together.
        for (int first = place_.begin(); first < end; first += kAtOnce * teams_)
            attend(running, queries, ends, keys, values, first + team_, end);
        leave(running);
        thread_.sync();
        join();
    }

  private:
    static constexpr int N = kFullPack<T>;
    static constexpr int kAtOnce = R == 1 ? 4 : 2;
    using Row = AlignedVector<A, N>;

    /// A query's maximum, and relative to it the sum of the weights and of the weighted values.
    struct Running {
        A most = -INFINITY, total = 0;
        Row sum{};
    };

    /// This lane's columns of a head's keys or values.
    class Cached {
      public:
        __device__ Cached(const Decoding<T>& d, const SegmentAt* list, const HeadSegments& head,
                          int b, int column)
            : d_(d), list_(list), head_(head), b_(b), column_(column), first_(list[head.first]) {
            factor_ = first_.covers(column) ? first_.factor.at(d.lambda) : A(0);
        }

        /// Of the first segment; zeros where it has nothing.
        __device__ AlignedVector<T, N> begin(int position, bool there) const {
            if (!there || !first_.covers(column_)) return {};
            return load<N>(place(first_, position));
        }
        /// Weighted, the other segments added.
        __device__ Row finish(const AlignedVector<T, N>& begun, int position, bool there) const {
            Row sum;
#pragma unroll
            for (int x = 0; x < N; ++x) sum[x] = factor_ * static_cast<A>(begun[x]);
            for (int n = head_.first + 1; n < head_.end; ++n) {
                const SegmentAt& s = list_[n];
                if (!there || !s.covers(column_)) continue;
                const Row more = load_wide<N>(place(s, position));
                const A factor = s.factor.at(d_.lambda);
#pragma unroll
                for (int x = 0; x < N; ++x) sum[x] += factor * more[x];
            }
            return sum;
        }

      private:
        __device__ const T* place(const SegmentAt& s, int position) const {
            return static_cast<const T*>(s.data) + b_ * s.sequence + position * s.stride +
                   (column_ - s.at);
        }

        const Decoding<T>& d_;
        const SegmentAt* list_;
        const HeadSegments head_;
        const int b_, column_;
        const SegmentAt first_;
        A factor_;
    };

    /// Positions `first`, first + teams and so on.
    __device__ void attend(Running (&running)[R], const Row (&queries)[R], const int (&ends)[R],
                           const Cached& keys, const Cached& values, int first, int end) const {
        AlignedVector<T, N> key[kAtOnce], value[kAtOnce];
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u)
            key[u] = keys.begin(first + u * teams_, first + u * teams_ < end);
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u)
            value[u] = values.begin(first + u * teams_, first + u * teams_ < end);
        A scores[kAtOnce][R] = {};
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) {
            const int at = first + u * teams_;
            const Row wide = keys.finish(key[u], at, at < end);
#pragma unroll
            for (int r = 0; r < R; ++r)
#pragma unroll
                for (int x = 0; x < N; ++x) scores[u][r] += queries[r][x] * wide[x];
        }
        for (int apart = lanes_ / 2; apart > 0; apart /= 2)
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u)
#pragma unroll
                for (int r = 0; r < R; ++r)
                    scores[u][r] += thread_.shuffle_xor(scores[u][r], apart);
        weigh(running, scores, ends, first);
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) {
            const int at = first + u * teams_;
            const Row wide = values.finish(value[u], at, at < end);
#pragma unroll
            for (int r = 0; r < R; ++r)
#pragma unroll
                for (int x = 0; x < N; ++x) running[r].sum[x] += scores[u][r] * wide[x];
        }
    }

    /// Scores become weights relative to the maximum so far.
    __device__ void weigh(Running (&running)[R], A (&scores)[kAtOnce][R], const int (&ends)[R],
                          int first) const {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            A most = running[r].most;
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                if (first + u * teams_ >= ends[r]) scores[u][r] = -INFINITY;
                most = scores[u][r] > most ? scores[u][r] : most;
            }
            // No position yet: e^(-inf - 0) is 0.
            const A base = most == -INFINITY ? A(0) : most;
            const A rescale = exponential<T>(running[r].most - base);
            running[r].most = most;
            running[r].total *= rescale;
#pragma unroll
            for (int x = 0; x < N; ++x) running[r].sum[x] *= rescale;
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                scores[u][r] = exponential<T>(scores[u][r] - base);
                running[r].total += scores[u][r];
            }
        }
    }

    // Shared memory: of every team and query the columns of the sum, the maximum and the total.
    __device__ int columns() const {
        return lanes_ * N;
    }
    __device__ uint32_t bytes_at(int team, int r, int column) const {
        const int place = (team * R + r) * (columns() + kMostAndTotal) + column;
        return static_cast<uint32_t>(place) * static_cast<uint32_t>(sizeof(A));
    }
    __device__ A found(int team, int r, int column) const {
        return thread_.template load<A>(bytes_at(team, r, column));
    }

    __device__ void leave(const Running (&running)[R]) const {
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
            for (int x = 0; x < N; ++x)
                thread_.store(bytes_at(team_, r, column_ + x), running[r].sum[x]);
            if (column_ != 0) continue;
            thread_.store(bytes_at(team_, r, columns()), running[r].most);
            thread_.store(bytes_at(team_, r, columns() + 1), running[r].total);
        }
    }

    __device__ void join() const {
        const int width = d_.plan.out_width;
        for (int i = thread_.thread(); i < R * width; i += kThreads) {
            const int r = i / width, c = i - r * width;
            if (!place_.exists(r)) continue;
            A most = -INFINITY, sum = 0, total = 0;
            for (int team = 0; team < teams_; ++team) {
                const A of_team = found(team, r, columns());
                most = of_team > most ? of_team : most;
            }
            const A base = most == -INFINITY ? A(0) : most;
            for (int team = 0; team < teams_; ++team) {
                const A factor = exponential<T>(found(team, r, columns()) - base);
                sum += factor * found(team, r, c);
                total += factor * found(team, r, columns() + 1);
            }
            place_.put_out(r, c, sum, most, total);
        }
    }

    const Decoding<T>& d_;
    const BlockThread& thread_;
    const BlockPlace<T> place_;
    const int lanes_, teams_, team_, column_;
};

}  // namespace headroom::cuda
