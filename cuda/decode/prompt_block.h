#pragma once

#include "cuda/attention/running_rows.h"
#include "cuda/attention/tile_shapes.h"
#include "cuda/attention/warp_tile.h"
#include "cuda/decode/block_place.h"
#include "cuda/decode/cached_tile.h"
#include "cuda/decode/prompt_kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// One block of a prompt on tensor cores: attention's forward pass (attention/forward.h), with a
/// tile of the queries of a key/value head and a piece of the context. Heads are whole packs of 16
/// bytes wide, and segments have no weights.
template <int kShape>
class PromptBlock {
    static constexpr TileShape kTile = kForwardShapes[kShape];
    static constexpr int M = kTile.row_tiles, kRows = kTile.rows(), kKeys = kTile.streamed;
    static constexpr int kKeyWidth = kTile.key_width, kValueWidth = kTile.value_width;
    static constexpr uint32_t kStage = kRows * row_stride(kKeyWidth);
    static constexpr uint32_t kValues = kKeys * row_stride(kKeyWidth);
    static constexpr uint32_t kStageBytes = kValues + kKeys * row_stride(kValueWidth);
    static_assert(kPieceStep % kKeys == 0);

  public:
    static constexpr int kThreads = kTile.threads();

    __device__ PromptBlock(const Decoding<bf16>& d, const BlockThread& thread)
        : d_(d), t_(thread), place_(d, thread.block_x()), first_(thread.warp() * 16 * M) {}

    __device__ void run() const {
        if (place_.is_idle()) return;
        const int begin = place_.begin(), end = place_.end();
        load_queries();
        load_keys(begin, end, 0);
        RunningRows<M, kValueWidth> r;
        r.clear();
        t_.wait_copies<0>();
        t_.sync();
        const auto queries = held_if_narrow(
            t_, SharedRows<M, kKeyWidth>{static_cast<uint32_t>(first_ * row_stride(kKeyWidth))});
        const int seen = place_.most_seen(first_, first_ + 16 * M);  // by this warp
        for (int key = begin, stage = 0; key < end; key += kKeys, stage ^= 1) {
            if (key + kKeys < end) load_keys(key + kKeys, end, stage ^ 1);
            if (key < seen)
                attend(r, queries, key, kStage + static_cast<uint32_t>(stage) * kStageBytes);
            t_.wait_copies<0>();
            t_.sync();
        }
        write(r);
    }

  private:
    __device__ void load_queries() const {
        constexpr int kPieces = 2 * kKeyWidth / kPackBytes;
#pragma unroll 1
        for (int i = t_.thread(); i < kRows * kPieces; i += kThreads) {
            const int n = i / kPieces, column = i % kPieces * kFullPack<bf16>;
            const bool there = place_.exists(n) && column < d_.plan.query_width;
            const bf16* from =
                d_.q + (there ? place_.head_row(n) * d_.plan.query_width + column : 0);
            t_.copy_async<kPackBytes>(static_cast<uint32_t>(n * row_stride(kKeyWidth) + 2 * column),
                                      from, there ? kPackBytes : 0);
        }
    }
    __device__ void load_keys(int key, int end, int stage) const {
        const int b = place_.sequence(), g = place_.kv_head();
        const uint32_t to = kStage + static_cast<uint32_t>(stage) * kStageBytes;
        load_cached_tile<kKeys, kKeyWidth, kThreads>(t_, to,
                                                     {d_.keys, d_.key_heads[g], b, key, end - key});
        load_cached_tile<kKeys, kValueWidth, kThreads>(
            t_, to + kValues, {d_.values, d_.value_heads[g], b, key, end - key});
        t_.commit_copies();
    }

    template <class Queries>
    __device__ void attend(RunningRows<M, kValueWidth>& r, const Queries& queries, int key,
                           uint32_t stage) const {
        Sums<M, kKeys> s;
        s.clear();
        add_row_products<kKeyWidth>(t_, s, queries, stage);
        // The first query sees least of those that hold a token; the others are not written.
        if (key + kKeys > place_.seen(first_)) mask(s, key);
        r.template weigh<true>(t_, s, scale_log2());
        add_column_products(t_, r.out, s, stage + kValues);
    }
    __device__ void mask(Sums<M, kKeys>& s, int key) const {
        int seen[M][2];
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) seen[m][half] = place_.seen(query_of(m, half));
        each_number<M, kKeys>([&](int m, int n, int e) {
            if (key + column_of(t_, n, e) >= seen[m][e / 2]) s.x[m][n][e] = -INFINITY;
        });
    }

    __device__ void write(RunningRows<M, kValueWidth>& r) const {
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float total = sum_of_row<4>(t_, r.total[m][half]);
                const int query = query_of(m, half);
                if (!place_.exists(query)) continue;
                if (d_.plan.pieces > 1)
                    leave(query, r, m, half, total);
                else
                    put_out(query, r, m, half, place_.seen(query) > 0 ? 1 / total : 0.0f);
            }
    }
    /// For JoinPieces.
    __device__ void leave(int query, const RunningRows<M, kValueWidth>& r, int m, int half,
                          float total) const {
        const int width = d_.plan.out_width;
        float* part = d_.part(place_.head_row(query), place_.piece());
#pragma unroll
        for (int n = 0; n < kValueWidth / 8; ++n)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int c = column_of(t_, n, e);
                if (c < width) part[c] = r.out.x[m][n][2 * half + e];
            }
        if (t_.lane() % 4 != 0) return;
        part[width] = r.most[m][half] * d_.scale;
        part[width + 1] = total;
    }
    __device__ void put_out(int query, const RunningRows<M, kValueWidth>& r, int m, int half,
                            float factor) const {
        const int width = d_.plan.out_width;
        const RowTarget to{d_.out + place_.head_row(query) * width, width, 1, width, d_.accumulate};
#pragma unroll
        for (int n = 0; n < kValueWidth / 8; ++n)
            to.put_pair(0, column_of(t_, n, 0), factor * r.out.x[m][n][2 * half],
                        factor * r.out.x[m][n][2 * half + 1]);
    }

    __device__ int query_of(int m, int half) const {
        return first_ + row_of(t_, m, 2 * half);
    }
    __device__ float scale_log2() const {
        return d_.scale * 1.44269504f;
    }

    const Decoding<bf16>& d_;
    const BlockThread& t_;
    const BlockPlace<bf16> place_;
    const int first_;  ///< query of this warp
};

template <int kShape>
void prompt_attention(cudaStream_t stream, const Decoding<bf16>& decoding, int64_t blocks) {
    using Work = PromptBlock<kShape>;
    for_blocks<Work::kThreads>(
        stream, {blocks}, forward_shared_bytes(kForwardShapes[kShape]),
        [d = decoding] __device__(const BlockThread& thread) { Work(d, thread).run(); });
}

}  // namespace headroom::cuda
