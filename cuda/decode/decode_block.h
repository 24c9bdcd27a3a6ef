#pragma once

#include <cmath>

#include "cuda/decode/block_place.h"
#include "cuda/decode/cache_rows.h"

namespace headroom::cuda {

/// One block: its queries against its piece of the context. It lays a few positions into shared
/// memory, weights of the segments applied, meets all its queries with them, R queries a thread,
/// and goes on to the next ones with a running maximum. Every sum has an order that does not
/// depend on the number of threads.
template <class T, int R>
class DecodeBlock {
    using A = accumulator_t<T>;

  public:
    static constexpr int kThreads = decode_threads(R), kBlocksOfProcessor = 1;

    __device__ DecodeBlock(const Decoding<T>& d, const BlockThread& thread)
        : d_(d), memory_(d.plan, thread), thread_(thread), place_(d, thread.block_x()) {}

    __device__ void run() {
        if (place_.is_idle()) return;
        const int begin = place_.begin(), end = place_.end(), g = place_.kv_head();
        const CacheRows<T, kThreads> cache(d_, memory_, thread_.thread(), place_.sequence());
        const int positions = d_.plan.positions;
        prepare();
        for (int at = begin; at < end; at += positions) {
            const int count = end - at < positions ? end - at : positions;
            thread_.sync();  // the last positions are done with
            cache.load(d_.keys, d_.key_heads[g], at, count, memory_.query_width());
            thread_.sync();
            score(at, count);
            thread_.sync();
            if (!d_.values_are_keys)
                cache.load(d_.values, d_.value_heads[g], at, count, memory_.out_width());
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
    static constexpr int kParts = DecodeMemory<T>::kParts;

    /// Queries, scaled; sums of nothing.
    __device__ void prepare() {
        const DecodeMemory<T>& m = memory_;
        const int queries = d_.plan.queries, width = m.query_width();
        for (int i = thread_.thread(); i < queries * width; i += kThreads) {
            const int n = i / width;
            m.set(m.query(0) + i, place_.query(n, i - n * width));
        }
        for (int i = thread_.thread(); i < d_.plan.stripes * queries * m.out_width(); i += kThreads)
            m.set(m.sum(0, 0) + i, A(0));
        for (int i = thread_.thread(); i < d_.plan.queries * kParts; i += kThreads) {
            m.set(m.most(0) + i, -INFINITY);
            m.set(m.total(0) + i, A(0));
        }
        for (int n = thread_.thread(); n < queries; n += kThreads) m.set_seen(n, place_.seen(n));
    }

    /// scores[part][n][j] = the part's columns of q_n · k_j where query n attends to j, else -inf.
    __device__ void score(int at, int count) {
        const DecodeMemory<T>& m = memory_;
        const int groups = d_.plan.queries / R, tiles = groups * count, stride = d_.plan.row_stride;
        const int width = m.query_width(), parts = d_.plan.dot_parts;
        const int columns = static_cast<int>(padded((width + parts - 1) / parts));
        for (int i = thread_.thread(); i < parts * tiles; i += kThreads) {
            const int j = i % count, n = i / count % groups * R, part = i / tiles;
            const int end = (part + 1) * columns < width ? (part + 1) * columns : width;
            A dots[R] = {};
            for (int c = part * columns; c < end; c += 4) {
                const AlignedVector<A, 4> k = m.four(j * stride + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const AlignedVector<A, 4> query = m.four(m.query(n + r) + c);
#pragma unroll
                    for (int x = 0; x < 4; ++x) dots[r] += query[x] * k[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r)
                m.set(m.score(part, n + r) + j, at + j < m.seen(n + r) ? dots[r] : -INFINITY);
        }
    }

    /// Adds the parts up; the largest of each kParts-th score.
    __device__ void find_most(int count) {
        const DecodeMemory<T>& m = memory_;
        const int parts = d_.plan.dot_parts;
        for (int i = thread_.thread(); i < d_.plan.queries * kParts; i += kThreads) {
            const int n = i / kParts;
            A most = -INFINITY;
            for (int j = i % kParts; j < count; j += kParts) {
                A score = m.get(m.score(0, n) + j);
                for (int part = 1; part < parts; ++part) score += m.get(m.score(part, n) + j);
                if (parts > 1) m.set(m.score(0, n) + j, score);
                most = score > most ? score : most;
            }
            m.set(m.part_most(0) + i, most);
        }
    }

    /// scores = exp(scores - maximum so far), and their sums.
    __device__ void exponentiate(int count) {
        const DecodeMemory<T>& m = memory_;
        for (int i = thread_.thread(); i < d_.plan.queries * kParts; i += kThreads) {
            const int n = i / kParts;
            const A before = m.get(m.most(0) + i);
            A higher = before;
            for (int p = 0; p < kParts; ++p) {
                const A most = m.get(m.part_most(n) + p);
                higher = most > higher ? most : higher;
            }
            const bool nothing = higher == -INFINITY;  // no position of query n yet
            const A rescale = nothing ? A(1) : exp(before - higher);
            const int scores = m.score(0, n);
            A sum = 0;
            for (int j = i % kParts; j < count; j += kParts) {
                const A score = m.get(scores + j);
                const A p = nothing && score == -INFINITY ? A(0) : exp(score - higher);
                m.set(scores + j, p);
                sum += p;
            }
            m.set(m.total(0) + i, m.get(m.total(0) + i) * rescale + sum);
            m.set(m.most(0) + i, higher);
            if (i % kParts == 0) m.set(m.rescale(n), rescale);
        }
    }

    /// sums[stripe][n] = rescale sums[stripe][n] + sum over j of the stripe of p_nj v_j.
    __device__ void add_values(int count) {
        const DecodeMemory<T>& m = memory_;
        const int vectors = m.out_width() / 4, blocks = d_.plan.queries / R;
        const int stripes = d_.plan.stripes, stride = d_.plan.row_stride;
        for (int i = thread_.thread(); i < stripes * blocks * vectors; i += kThreads) {
            const int c = i % vectors * 4, n = i / vectors % blocks * R;
            const int stripe = i / vectors / blocks;
            AlignedVector<A, 4> sums[R];
#pragma unroll
            for (int r = 0; r < R; ++r) {
                sums[r] = m.four(m.sum(stripe, n + r) + c);
#pragma unroll
                for (int x = 0; x < 4; ++x) sums[r][x] *= m.get(m.rescale(n + r));
            }
            for (int j = stripe; j < count; j += stripes) {
                const AlignedVector<A, 4> v = m.four(j * stride + c);
#pragma unroll
                for (int r = 0; r < R; ++r) {
                    const A p = m.get(m.score(0, n + r) + j);
#pragma unroll
                    for (int x = 0; x < 4; ++x) sums[r][x] += p * v[x];
                }
            }
#pragma unroll
            for (int r = 0; r < R; ++r) m.set_all(m.sum(stripe, n + r) + c, sums[r]);
        }
    }

    __device__ void write() {
        const DecodeMemory<T>& m = memory_;
        const int width = d_.plan.out_width;
        for (int i = thread_.thread(); i < d_.plan.queries * width; i += kThreads) {
            const int n = i / width, c = i % width;
            if (!place_.exists(n)) continue;
            A sum = 0, total = 0;
            for (int stripe = 0; stripe < d_.plan.stripes; ++stripe)
                sum += m.get(m.sum(stripe, n) + c);
            for (int p = 0; p < kParts; ++p) total += m.get(m.total(n) + p);
            place_.put_out(n, c, sum, m.get(m.most(n)), total);
        }
    }

    const Decoding<T>& d_;
    const DecodeMemory<T> memory_;
    const BlockThread& thread_;
    const BlockPlace<T> place_;
};

}  // namespace headroom::cuda
