#pragma once

#include <cmath>
#include <cstddef>

#include "core/graph/op.h"
#include "cuda/decode_plan.h"
#include "cuda/launch.h"
#include "cuda/number.h"
#include "cuda/segment_table.h"
#include "cuda/vector.h"

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
    __device__ DecodeBlock(const Decoding<T>& d, Block& block, int64_t index, std::byte* shared)
        : d_(d), block_(block), piece_(index % d.plan.pieces) {
        const DecodePlan& plan = d.plan;
        const int64_t unit = index / plan.pieces / plan.tiles();
        first_query_ = index / plan.pieces % plan.tiles() * plan.queries;
        g_ = unit % plan.n_kv_head;
        b_ = unit / plan.n_kv_head;
        queries_ = static_cast<int>(plan.queries);
        positions_ = static_cast<int>(plan.positions);
        stripes_ = static_cast<int>(plan.stripes);
        stride_ = static_cast<int>(plan.row_stride());
        query_width_ = static_cast<int>(padded(plan.query_width));
        out_width_ = static_cast<int>(padded(plan.out_width));
        tile_ = reinterpret_cast<A*>(shared);
        q_ = tile_ + positions_ * stride_;
        sums_ = q_ + queries_ * query_width_;
        scores_ = sums_ + stripes_ * queries_ * out_width_;
        most_ = scores_ + queries_ * positions_;
        part_most_ = most_ + queries_ * kParts;
        total_ = part_most_ + queries_ * kParts;
        rescale_ = total_ + queries_ * kParts;
        seen_ = reinterpret_cast<int*>(rescale_ + queries_);
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
            block_.sync();  // the last positions are done with
            load(d_.keys, d_.key_heads[g_], at, count, query_width_);
            block_.sync();
            score(at, count);
            block_.sync();
            if (!d_.values_are_keys) load(d_.values, d_.value_heads[g_], at, count, out_width_);
            find_most(count);
            block_.sync();
            exponentiate(count);
            block_.sync();
            add_values(count);
        }
        block_.sync();
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
        for (int i = block_.thread(); i < queries_ * query_width_; i += block_.threads()) {
            const int n = i / query_width_, c = i % query_width_;
            const bool real = exists(n) && c < d_.plan.query_width;
            q_[i] = real ? d_.scale * static_cast<A>(d_.q[output_row(n) * d_.plan.query_width + c])
                         : A(0);
        }
        for (int i = block_.thread(); i < stripes_ * queries_ * out_width_; i += block_.threads())
            sums_[i] = 0;
        for (int i = block_.thread(); i < queries_ * kParts; i += block_.threads()) {
            most_[i] = -INFINITY;
            total_[i] = 0;
        }
        for (int n = block_.thread(); n < queries_; n += block_.threads())
            seen_[n] = static_cast<int>(d_.seen(row_of(n)));
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
        for (int start = block_.thread(); start < items; start += kAtOnce * block_.threads()) {
            Vector<T, N> raw[kAtOnce];
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                const int i = start + u * block_.threads(), c = i % per_row * N;
                if (i < items && first.covers(c)) raw[u] = numbers<N>(first, at + i / per_row, c);
            }
#pragma unroll
            for (int u = 0; u < kAtOnce; ++u) {
                const int i = start + u * block_.threads(), c = i % per_row * N;
                if (i >= items) continue;
                A sum[N] = {};
                if (first.covers(c)) add<N>(sum, raw[u], d_.factor(first));
                for (int n = head.first + 1; n < head.end; ++n)
                    if (list[n].covers(c))
                        add<N>(sum, numbers<N>(list[n], at + i / per_row, c), d_.factor(list[n]));
                keep<N>(tile_ + i / per_row * stride_ + c, sum);
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
    __device__ static void keep(A* to, const A* sum) {
        constexpr int kStored = N % 4 == 0 ? 4 : N;
#pragma unroll
        for (int from = 0; from < N; from += kStored) {
            Vector<A, kStored> part;
#pragma unroll
            for (int x = 0; x < kStored; ++x) part[x] = sum[from + x];
            *reinterpret_cast<Vector<A, kStored>*>(to + from) = part;
        }
    }

    /// scores[n][j] = q_n · k_j where query n attends to j, else -inf.
    __device__ void score(int64_t at, int count) {
        for (int i = block_.thread(); i < queries_ / R * count; i += block_.threads()) {
            const int j = i % count, n = i / count * R;
            A dots[R] = {};
            for (int c = 0; c < query_width_; c += 4) {
                const Vector<A, 4> k = four(tile_ + j * stride_ + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const Vector<A, 4> query = four(q_ + (n + r) * query_width_ + c);
#pragma unroll
                    for (int x = 0; x < 4; ++x) dots[r] += query[x] * k[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r)
                scores_[(n + r) * positions_ + j] = at + j < seen_[n + r] ? dots[r] : -INFINITY;
        }
    }

    __device__ void find_most(int count) {
        for (int i = block_.thread(); i < queries_ * kParts; i += block_.threads()) {
            const A* scores = scores_ + i / kParts * positions_;
            A most = -INFINITY;
            for (int j = i % kParts; j < count; j += kParts)
                most = scores[j] > most ? scores[j] : most;
            part_most_[i] = most;
        }
    }

    /// scores = exp(scores - maximum so far), and their sums.
    __device__ void exponentiate(int count) {
        for (int i = block_.thread(); i < queries_ * kParts; i += block_.threads()) {
            const int n = i / kParts;
            A higher = most_[i];
            for (int p = 0; p < kParts; ++p) {
                const A most = part_most_[n * kParts + p];
                higher = most > higher ? most : higher;
            }
            const bool nothing = higher == -INFINITY;  // no position of query n yet
            const A rescale = nothing ? A(1) : exp(most_[i] - higher);
            A* scores = scores_ + n * positions_;
            A sum = 0;
            for (int j = i % kParts; j < count; j += kParts) {
                const A p = nothing && scores[j] == -INFINITY ? A(0) : exp(scores[j] - higher);
                scores[j] = p;
                sum += p;
            }
            total_[i] = total_[i] * rescale + sum;
            most_[i] = higher;
            if (i % kParts == 0) rescale_[n] = rescale;
        }
    }

    /// sums[stripe][n] = rescale sums[stripe][n] + sum over j of the stripe of p_nj v_j.
    __device__ void add_values(int count) {
        const int vectors = out_width_ / 4, blocks = queries_ / R;
        for (int i = block_.thread(); i < stripes_ * blocks * vectors; i += block_.threads()) {
            const int c = i % vectors * 4, n = i / vectors % blocks * R;
            const int stripe = i / vectors / blocks;
            Vector<A, 4> sums[R];
#pragma unroll
            for (int r = 0; r < R; ++r) {
                sums[r] = four(sum_of(stripe, n + r) + c);
#pragma unroll
                for (int x = 0; x < 4; ++x) sums[r][x] *= rescale_[n + r];
            }
            for (int j = stripe; j < count; j += stripes_) {
                const Vector<A, 4> v = four(tile_ + j * stride_ + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const A p = scores_[(n + r) * positions_ + j];
#pragma unroll
                    for (int x = 0; x < 4; ++x) sums[r][x] += p * v[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r)
                *reinterpret_cast<Vector<A, 4>*>(sum_of(stripe, n + r) + c) = sums[r];
        }
    }
    __device__ A* sum_of(int stripe, int n) const {
        return sums_ + (stripe * queries_ + n) * out_width_;
    }
    __device__ static const Vector<A, 4>& four(const A* x) {
        return *reinterpret_cast<const Vector<A, 4>*>(x);
    }

    __device__ void write() {
        const int width = static_cast<int>(d_.plan.out_width);
        for (int i = block_.thread(); i < queries_ * width; i += block_.threads()) {
            const int n = i / width, c = i % width;
            if (!exists(n)) continue;
            A sum = 0, total = 0;
            for (int stripe = 0; stripe < stripes_; ++stripe) sum += sum_of(stripe, n)[c];
            for (int p = 0; p < kParts; ++p) total += total_[n * kParts + p];
            if (d_.plan.pieces > 1) {
                A* part = d_.part(output_row(n), piece_);
                part[c] = sum;
                if (c == 0) part[width] = most_[n * kParts], part[width + 1] = total;
            } else {
                const A value = seen_[n] > 0 ? sum / total : A(0);
                put(d_.out[output_row(n) * width + c], value, d_.accumulate);
            }
        }
    }

    const Decoding<T>& d_;
    Block& block_;
    int64_t piece_, first_query_, g_, b_;
    int queries_, positions_, stripes_, stride_, query_width_, out_width_;
    A *tile_, *q_, *sums_, *scores_, *most_, *part_most_, *total_, *rescale_;
    int* seen_;  ///< positions that each query attends to
};

}  // namespace headroom::cuda
