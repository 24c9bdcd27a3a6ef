#pragma once

#include <cmath>
#include <cstddef>

#include "core/graph/op.h"
#include "cuda/decode/decode_plan.h"
#include "cuda/decode/segment_table.h"
#include "cuda/parts/block_thread.h"
#include "cuda/parts/number.h"
#include "cuda/parts/vector.h"

namespace headroom::cuda {

/// What all blocks know. Copied into them.
template <class T>
struct Decoding {
    using A = accumulator_t<T>;
    DecodePlan plan;
    const SegmentAt *keys, *values;
    const HeadSegments *key_heads, *value_heads;
    const T* q;
    T* out;
    A* parts;         ///< of each row and piece: sums, maximum, total
    const A* lambda;  ///< null: there is none
    A scale;
    bool accumulate, values_are_keys;
    const StepContext* step;

    __device__ int64_t tokens() const { return step->rows < 0 ? plan.rows : step->rows; }
    /// Positions that row t attends to.
    __device__ int64_t seen(int64_t t) const { return t < tokens() ? step->position + t + 1 : 0; }
    __device__ int64_t length() const {
        return piece_length(step->position + tokens(), plan.pieces);
    }
    __device__ A* part(int64_t row, int64_t piece) const {
        return parts + (row * plan.pieces + piece) * (plan.out_width + 2);
    }
    __device__ A factor(const SegmentAt& s) const {
        return static_cast<A>(s.constant) +
               (lambda != nullptr ? static_cast<A>(s.slope) * *lambda : A(0));
    }
};

/// One block: its queries against its piece of the context. It lays a few positions into shared
/// memory, weights of the segments applied, meets all its queries with them, R queries a thread,
/// and goes on to the next ones with a running maximum. Every sum has an order that does not
/// depend on the number of threads.
template <class T, int R>
class DecodeBlock {
    using A = accumulator_t<T>;

  public:
    static constexpr int kThreads = decode_threads(R);

    __device__ DecodeBlock(const Decoding<T>& d, const BlockThread& thread)
        : d_(d), thread_(thread), piece_(thread.block_x() % d.plan.pieces) {
        const DecodePlan& plan = d.plan;
        const int64_t index = thread.block_x();
        const int64_t unit = index / plan.pieces / plan.tiles();
        first_query_ = index / plan.pieces % plan.tiles() * plan.queries;
        g_ = unit % plan.n_kv_head;
        b_ = unit / plan.n_kv_head;
        queries_ = static_cast<int>(plan.queries);
        positions_ = static_cast<int>(plan.positions);
        stripes_ = static_cast<int>(plan.stripes);
        dot_parts_ = static_cast<int>(plan.dot_parts);
        stride_ = static_cast<int>(plan.row_stride());
        query_width_ = static_cast<int>(padded(plan.query_width));
        out_width_ = static_cast<int>(padded(plan.out_width));
        q_ = positions_ * stride_;
        sums_ = q_ + queries_ * query_width_;
        scores_ = sums_ + stripes_ * queries_ * out_width_;
        most_ = scores_ + dot_parts_ * queries_ * positions_;
        part_most_ = most_ + queries_ * kParts;
        total_ = part_most_ + queries_ * kParts;
        rescale_ = total_ + queries_ * kParts;
        seen_ = rescale_ + queries_;
    }

    __device__ void run() {
        const int64_t begin = piece_ * d_.length();
        int64_t end = begin + d_.length();
        const int64_t last = last_seen();
        if (end > last) end = last;
        // A first piece always answers: with zeros for rows that hold no token.
        if (begin >= end && piece_ > 0) return;
        prepare();
        for (int64_t at = begin; at < end; at += positions_) {
            const int count = static_cast<int>(end - at < positions_ ? end - at : positions_);
            thread_.sync();  // the last positions are done with
            load(d_.keys, d_.key_heads[g_], at, count, query_width_);
            thread_.sync();
            score(at, count);
            thread_.sync();
            if (!d_.values_are_keys) load(d_.values, d_.value_heads[g_], at, count, out_width_);
            find_most(count);
            thread_.sync();
            exponentiate(count);
            thread_.sync();
            add_values(count);
        }
        thread_.sync();
        write();
    }

  private:
    static constexpr int kParts = static_cast<int>(kScoreParts);

    /// The row of query n of the tile, and its head among all.
    __device__ int64_t row_of(int n) const { return (first_query_ + n) / d_.plan.group; }
    __device__ int64_t head_of(int n) const {
        return g_ * d_.plan.group + (first_query_ + n) % d_.plan.group;
    }
    __device__ bool exists(int n) const { return first_query_ + n < d_.plan.rows * d_.plan.group; }
    __device__ int64_t output_row(int n) const {
        return (b_ * d_.plan.rows + row_of(n)) * d_.plan.n_kv_head * d_.plan.group + head_of(n);
    }
    __device__ int64_t last_seen() const {
        int64_t row = row_of(queries_ - 1);
        if (row >= d_.tokens()) row = d_.tokens() - 1;
        return row < row_of(0) ? 0 : d_.seen(row);
    }

    /// Queries, scaled; sums of nothing.
    __device__ void prepare() {
        for (int i = thread_.thread(); i < queries_ * query_width_; i += kThreads) {
            const int n = i / query_width_, c = i % query_width_;
            const bool real = exists(n) && c < d_.plan.query_width;
            set(q_ + i,
                real ? d_.scale * static_cast<A>(d_.q[output_row(n) * d_.plan.query_width + c])
                     : A(0));
        }
        for (int i = thread_.thread(); i < stripes_ * queries_ * out_width_; i += kThreads)
            set(sums_ + i, A(0));
        for (int i = thread_.thread(); i < queries_ * kParts; i += kThreads) {
            set(most_ + i, -INFINITY);
            set(total_ + i, A(0));
        }
        for (int n = thread_.thread(); n < queries_; n += kThreads)
            set_seen(n, static_cast<int>(d_.seen(row_of(n))));
    }

    __device__ void load(const SegmentAt* list, const HeadSegments& head, int64_t at, int count,
                         int width) {
        if (head.vectors)
            load_in<16 / static_cast<int>(sizeof(T))>(list, head, at, count, width);
        else
            load_in<1>(list, head, at, count, width);
    }

    /// Positions [at, at + count), N columns at a time, of which several are under way at once.
    template <int N>
    __device__ void load_in(const SegmentAt* list, const HeadSegments& head, int64_t at, int count,
                            int width) {
        constexpr int kAtOnce = 4;
        const int per_row = width / N, items = count * per_row;
        const SegmentAt none{nullptr, 0, 0, 0, 0, 0, 0};
        const SegmentAt first = head.first < head.end ? list[head.first] : none;
        for (int start = thread_.thread(); start < items; start += kAtOnce * kThreads) {
            Vector<T, N> raw[kAtOnce];
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
                if (first.covers(c)) add<N>(sum, raw[u], d_.factor(first));
                for (int n = head.first + 1; n < head.end; ++n)
                    if (list[n].covers(c))
                        add<N>(sum, numbers<N>(list[n], at + i / per_row, c), d_.factor(list[n]));
                keep<N>(i / per_row * stride_ + c, sum);
            }
        }
    }
    template <int N>
    __device__ Vector<T, N> numbers(const SegmentAt& s, int64_t position, int column) const {
        const T* row = static_cast<const T*>(s.data) + b_ * s.sequence + position * s.stride;
        return *reinterpret_cast<const Vector<T, N>*>(row + (column - s.at));
    }
    template <int N>
    __device__ static void add(A* sum, const Vector<T, N>& x, A factor) {
#pragma unroll
        for (int n = 0; n < N; ++n) sum[n] += factor * static_cast<A>(x[n]);
    }
    template <int N>
    __device__ void keep(int place, const A* sum) const {
        constexpr int kStored = N % 4 == 0 ? 4 : N;
#pragma unroll
        for (int from = 0; from < N; from += kStored) {
            Vector<A, kStored> part;
#pragma unroll
            for (int x = 0; x < kStored; ++x) part[x] = sum[from + x];
            thread_.store(bytes(place + from), part);
        }
    }

    /// scores[part][n][j] = the part's columns of q_n · k_j where query n attends to j, else -inf.
    __device__ void score(int64_t at, int count) {
        const int tiles = queries_ / R * count;
        const int columns = static_cast<int>(padded((query_width_ + dot_parts_ - 1) / dot_parts_));
        for (int i = thread_.thread(); i < dot_parts_ * tiles; i += kThreads) {
            const int j = i % count, n = i / count % (queries_ / R) * R, part = i / tiles;
            const int end =
                (part + 1) * columns < query_width_ ? (part + 1) * columns : query_width_;
            A dots[R] = {};
            for (int c = part * columns; c < end; c += 4) {
                const Vector<A, 4> k = four(j * stride_ + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const Vector<A, 4> query = four(q_ + (n + r) * query_width_ + c);
#pragma unroll
                    for (int x = 0; x < 4; ++x) dots[r] += query[x] * k[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r)
                set(score_of(part, n + r) + j, at + j < seen(n + r) ? dots[r] : -INFINITY);
        }
    }
    __device__ int score_of(int part, int n) const {
        return scores_ + (part * queries_ + n) * positions_;
    }

    /// Adds the parts up; the largest of each kParts-th score.
    __device__ void find_most(int count) {
        for (int i = thread_.thread(); i < queries_ * kParts; i += kThreads) {
            const int n = i / kParts;
            A most = -INFINITY;
            for (int j = i % kParts; j < count; j += kParts) {
                A score = get(score_of(0, n) + j);
                for (int part = 1; part < dot_parts_; ++part) score += get(score_of(part, n) + j);
                if (dot_parts_ > 1) set(score_of(0, n) + j, score);
                most = score > most ? score : most;
            }
            set(part_most_ + i, most);
        }
    }

    /// scores = exp(scores - maximum so far), and their sums.
    __device__ void exponentiate(int count) {
        for (int i = thread_.thread(); i < queries_ * kParts; i += kThreads) {
            const int n = i / kParts;
            const A before = get(most_ + i);
            A higher = before;
            for (int p = 0; p < kParts; ++p) {
                const A most = get(part_most_ + n * kParts + p);
                higher = most > higher ? most : higher;
            }
            const bool nothing = higher == -INFINITY;  // no position of query n yet
            const A rescale = nothing ? A(1) : exp(before - higher);
            const int scores = scores_ + n * positions_;
            A sum = 0;
            for (int j = i % kParts; j < count; j += kParts) {
                const A score = get(scores + j);
                const A p = nothing && score == -INFINITY ? A(0) : exp(score - higher);
                set(scores + j, p);
                sum += p;
            }
            set(total_ + i, get(total_ + i) * rescale + sum);
            set(most_ + i, higher);
            if (i % kParts == 0) set(rescale_ + n, rescale);
        }
    }

    /// sums[stripe][n] = rescale sums[stripe][n] + sum over j of the stripe of p_nj v_j.
    __device__ void add_values(int count) {
        const int vectors = out_width_ / 4, blocks = queries_ / R;
        for (int i = thread_.thread(); i < stripes_ * blocks * vectors; i += kThreads) {
            const int c = i % vectors * 4, n = i / vectors % blocks * R;
            const int stripe = i / vectors / blocks;
            Vector<A, 4> sums[R];
#pragma unroll
            for (int r = 0; r < R; ++r) {
                sums[r] = four(sum_of(stripe, n + r) + c);
#pragma unroll
                for (int x = 0; x < 4; ++x) sums[r][x] *= get(rescale_ + n + r);
            }
            for (int j = stripe; j < count; j += stripes_) {
                const Vector<A, 4> v = four(j * stride_ + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const A p = get(scores_ + (n + r) * positions_ + j);
#pragma unroll
                    for (int x = 0; x < 4; ++x) sums[r][x] += p * v[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r) thread_.store(bytes(sum_of(stripe, n + r) + c), sums[r]);
        }
    }
    __device__ int sum_of(int stripe, int n) const {
        return sums_ + (stripe * queries_ + n) * out_width_;
    }

    // Shared memory, by the number's place in it.
    __device__ static uint32_t bytes(int place) {
        return static_cast<uint32_t>(place) * static_cast<uint32_t>(sizeof(A));
    }
    __device__ A get(int place) const {
        return thread_.template load<A>(bytes(place));
    }
    __device__ void set(int place, A value) const {
        thread_.store(bytes(place), value);
    }
    __device__ Vector<A, 4> four(int place) const {
        return thread_.template load<Vector<A, 4>>(bytes(place));
    }
    /// How many positions query n attends to.
    __device__ int seen(int n) const {
        return thread_.template load<int>(bytes(seen_ + n));
    }
    __device__ void set_seen(int n, int count) const {
        thread_.store(bytes(seen_ + n), count);
    }

    __device__ void write() {
        const int width = static_cast<int>(d_.plan.out_width);
        for (int i = thread_.thread(); i < queries_ * width; i += kThreads) {
            const int n = i / width, c = i % width;
            if (!exists(n)) continue;
            A sum = 0, total = 0;
            for (int stripe = 0; stripe < stripes_; ++stripe) sum += get(sum_of(stripe, n) + c);
            for (int p = 0; p < kParts; ++p) total += get(total_ + n * kParts + p);
            if (d_.plan.pieces > 1) {
                A* part = d_.part(output_row(n), piece_);
                part[c] = sum;
                if (c == 0) part[width] = get(most_ + n * kParts), part[width + 1] = total;
            } else {
                const A value = seen(n) > 0 ? sum / total : A(0);
                put(d_.out[output_row(n) * width + c], value, d_.accumulate);
            }
        }
    }

    const Decoding<T>& d_;
    const BlockThread& thread_;
    int64_t piece_, first_query_, g_, b_;
    int queries_, positions_, stripes_, dot_parts_, stride_, query_width_, out_width_;
    /// Places in shared memory; the positions lie at its start.
    int q_, sums_, scores_, most_, part_most_, total_, rescale_, seen_;
};

}  // namespace headroom::cuda
