#pragma once

#include <cmath>

#include "cuda/attention/kernels.h"
#include "cuda/attention/running_rows.h"
#include "cuda/attention/warp_tile.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// Attention forward without scores in memory: Dao 2023, arXiv:2307.08691, algorithm 1. A block
/// holds a tile of queries of one head and streams keys and values past them, the next tile
/// underway while it works on one; every row has a running maximum and total.
template <int kShape, bool kDropout>
struct ForwardKernel {
    static constexpr TileShape kTile = kForwardShapes[kShape];
    static constexpr int M = kTile.row_tiles, kRows = kTile.rows(), kKeys = kTile.streamed;
    static constexpr int kKeyWidth = kTile.key_width, kValueWidth = kTile.value_width;
    static constexpr int kThreads = kTile.threads();
    static constexpr uint32_t kStage = kRows * row_stride(kKeyWidth);
    static constexpr uint32_t kValues = kKeys * row_stride(kKeyWidth);
    static constexpr uint32_t kStageBytes = kValues + kKeys * row_stride(kValueWidth);
    using Scores = Sums<M, kKeys>;
    using Running = RunningRows<M, kValueWidth>;

    FlashForward f;

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const int tiles = (p.seq_len + kRows - 1) / kRows;
        // The last queries of a causal head see the most keys: they go first.
        const int first = (p.causal ? tiles - 1 - t.block_x() : t.block_x()) * kRows;
        const int h = t.block_y(), b = t.block_z();
        const int key_tiles = (p.keys_before(first + kRows) + kKeys - 1) / kKeys;
        load_tile<kRows, kKeyWidth, kThreads>(t, 0, rows_of(p.queries[h], h, b, first, p.d_head),
                                              p.alignment);
        load_keys(t, h, b, 0);
        Running r;
        r.clear();
        const int first_row = first + t.warp() * 16 * M;
        t.wait_copies<0>();
        t.sync();
        const auto queries = held_if_narrow(t, SharedRows<M, kKeyWidth>{static_cast<uint32_t>(
                                                   t.warp() * 16 * M * row_stride(kKeyWidth))});
        for (int tile = 0; tile < key_tiles; ++tile) {
            if (tile + 1 < key_tiles) load_keys(t, h, b, tile + 1);
            const int key = tile * kKeys;
            if (first_row < p.seq_len && (!p.causal || key < first_row + 16 * M))
                attend(t, r, queries, h, b, first_row, key, kStage + tile % 2 * kStageBytes);
            t.wait_copies<0>();
            t.sync();
        }
        write(t, r, h, b, first_row);
    }

  private:
    __device__ TileRows rows_of(const HeadAt& head, int h, int b, int first, int width) const {
        const FlashProblem& p = f.problem;
        return {head, p.queries[h].data, static_cast<int64_t>(b) * p.seq_len + first,
                p.seq_len - first, width};
    }
    __device__ void load_keys(const BlockThread& t, int h, int b, int tile) const {
        const FlashProblem& p = f.problem;
        const uint32_t to = kStage + tile % 2 * kStageBytes;
        load_tile<kKeys, kKeyWidth, kThreads>(
            t, to, rows_of(p.keys[h], h, b, tile * kKeys, p.d_head), p.alignment);
        load_tile<kKeys, kValueWidth, kThreads>(
            t, to + kValues, rows_of(p.values[h], h, b, tile * kKeys, p.d_value), p.alignment);
        t.commit_copies();
    }

    template <class Queries>
    __device__ void attend(const BlockThread& t, Running& r, const Queries& queries, int h, int b,
                           int first_row, int key, uint32_t stage) const {
        const FlashProblem& p = f.problem;
        Scores s;
        s.clear();
        add_row_products<kKeyWidth>(t, s, queries, stage);
        if (key + kKeys > p.seq_len || (p.causal && key + kKeys > first_row + 1))
            each_number<M, kKeys>([&](int m, int n, int e) {
                if (p.masks(first_row + row_of(t, m, e), key + column_of(t, n, e)))
                    s.x[m][n][e] = -INFINITY;
            });
        r.template weigh<false>(t, s, p.scale_log2);
        if constexpr (kDropout) {
            const uint64_t kept = kept_by_query<M, kKeys>(t, KeptPairs(p, b, h), first_row, key);
            each_number<M, kKeys>([&](int m, int n, int e) {
                s.x[m][n][e] = is_kept<M, kKeys>(kept, m, n, e) ? p.kept * s.x[m][n][e] : 0.0f;
            });
        }
        add_column_products(t, r.out, s, stage + kValues);
    }

    __device__ void write(const BlockThread& t, Running& r, int h, int b, int first_row) const {
        const FlashProblem& p = f.problem;
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float total = r.total[m][half] = sum_of_row<4>(t, r.total[m][half]);
                const int i = first_row + row_of(t, m, 2 * half);
                if (t.lane() % 4 != 0 || i >= p.seq_len) continue;
                float& lse = f.lse[(static_cast<int64_t>(b) * p.n_head + h) * p.seq_len + i];
                lse = (f.add_lse ? lse : 0.0f) + (r.most[m][half] * p.scale + logf(total));
            }
        const int64_t columns = static_cast<int64_t>(p.n_head) * p.d_value;
        const RowTarget to{static_cast<bf16*>(f.out) +
                               (static_cast<int64_t>(b) * p.seq_len + first_row) * columns +
                               h * p.d_value,
                           columns, p.seq_len - first_row, p.d_value, f.add_out};
        write_rows(t, r.out, to, [&](int m, int half) { return 1.0f / r.total[m][half]; });
    }
};

template <int kShape>
void flash_forward(cudaStream_t stream, const FlashForward& f) {
    constexpr TileShape kTile = kForwardShapes[kShape];
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + kTile.rows() - 1) / kTile.rows(), p.n_head, f.batch};
    if (p.kept > 0)
        for_blocks<kTile.threads()>(stream, grid, forward_shared_bytes(kTile),
                                    ForwardKernel<kShape, true>{f});
    else
        for_blocks<kTile.threads()>(stream, grid, forward_shared_bytes(kTile),
                                    ForwardKernel<kShape, false>{f});
}

}  // namespace headroom::cuda
