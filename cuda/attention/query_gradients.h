#pragma once

#include "cuda/attention/kernels.h"
#include "cuda/attention/warp_tile.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// Gradients of queries. A block holds a tile of queries of one head and the gradients of their
/// outputs, and streams keys and values past them.
template <int kShape, bool kDropout>
struct QueryGradientKernel {
    static constexpr TileShape kTile = kQueryGradientShapes[kShape];
    static constexpr int M = kTile.row_tiles, kRows = kTile.rows(), kKeys = kTile.streamed;
    static constexpr int kKeyWidth = kTile.key_width, kValueWidth = kTile.value_width;
    static constexpr int kThreads = kTile.threads();
    static constexpr uint32_t kDout = kRows * row_stride(kKeyWidth);
    static constexpr uint32_t kStage = kDout + kRows * row_stride(kValueWidth);
    static constexpr uint32_t kValues = kKeys * row_stride(kKeyWidth);
    static constexpr uint32_t kStageBytes = kValues + kKeys * row_stride(kValueWidth);
    using Scores = Sums<M, kKeys>;

    FlashBackward f;
    const HeadGradient* targets;  ///< of every query head

    /// What was saved of a lane's rows.
    struct Saved {
        float lse_log2[M][2], dot[M][2];
    };

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const int tiles = (p.seq_len + kRows - 1) / kRows;
        const int first = (p.causal ? tiles - 1 - t.block_x() : t.block_x()) * kRows;
        const int h = t.block_y(), b = t.block_z();
        const int key_tiles = (p.keys_before(first + kRows) + kKeys - 1) / kKeys;
        const HeadAt dout = f.dout_of<bf16>(h);
        load_tile<kRows, kKeyWidth, kThreads>(t, 0, rows_of(p.queries[h], b, first, p.d_head),
                                              p.alignment);
        load_tile<kRows, kValueWidth, kThreads>(t, kDout, rows_of(dout, b, first, p.d_value),
                                                p.alignment);
        load_keys(t, h, b, 0);
        const int first_row = first + t.warp() * 16 * M;
        const Saved saved = saved_of(t, h, b, first_row);
        Sums<M, kKeyWidth> dquery;
        dquery.clear();
        for (int tile = 0; tile < key_tiles; ++tile) {
            t.wait_copies<0>();
            t.sync();
            if (tile + 1 < key_tiles) load_keys(t, h, b, tile + 1);
            const int key = tile * kKeys;
            if (first_row < p.seq_len && (!p.causal || key < first_row + 16 * M))
                add(t, dquery, saved, h, b, first_row, key, kStage + tile % 2 * kStageBytes);
        }
        const HeadGradient to = targets[h];
        const RowTarget rows{to.row<bf16>(static_cast<int64_t>(b) * p.seq_len + first_row),
                             to.columns, p.seq_len - first_row, p.d_head, f.adds_to(to)};
        write_rows(t, dquery, rows, [&](int, int) { return p.scale; });
    }

  private:
    __device__ TileRows rows_of(const HeadAt& head, int b, int first, int width) const {
        const FlashProblem& p = f.problem;
        return {head, f.dout, static_cast<int64_t>(b) * p.seq_len + first, p.seq_len - first,
                width};
    }
    __device__ void load_keys(const BlockThread& t, int h, int b, int tile) const {
        const FlashProblem& p = f.problem;
        const uint32_t to = kStage + tile % 2 * kStageBytes;
        load_tile<kKeys, kKeyWidth, kThreads>(t, to, rows_of(p.keys[h], b, tile * kKeys, p.d_head),
                                              p.alignment);
        load_tile<kKeys, kValueWidth, kThreads>(
            t, to + kValues, rows_of(p.values[h], b, tile * kKeys, p.d_value), p.alignment);
        t.commit_copies();
    }
    __device__ Saved saved_of(const BlockThread& t, int h, int b, int first_row) const {
        const FlashProblem& p = f.problem;
        constexpr float kLog2E = 1.44269504088896341f;
        Saved saved;
#pragma unroll
        for (int m = 0; m < M; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int i = first_row + row_of(t, m, 2 * half);
                const int64_t at = (static_cast<int64_t>(b) * p.n_head + h) * p.seq_len + i;
                saved.lse_log2[m][half] = i < p.seq_len ? kLog2E * f.lse[at] : 0.0f;
                saved.dot[m][half] = i < p.seq_len ? f.dots[at] : 0.0f;
            }
        return saved;
    }

    __device__ void add(const BlockThread& t, Sums<M, kKeyWidth>& dquery, const Saved& saved, int h,
                        int b, int first_row, int key, uint32_t stage) const {
        const FlashProblem& p = f.problem;
        const auto warp_row = static_cast<uint32_t>(t.warp() * 16 * M);
        const SharedRows<M, kKeyWidth> queries{warp_row * row_stride(kKeyWidth)};
        const SharedRows<M, kValueWidth> douts{kDout + warp_row * row_stride(kValueWidth)};
        Scores weights;
        weights.clear();
        add_row_products<kKeyWidth>(t, weights, queries, stage);
        each_number<M, kKeys>([&](int m, int n, int e) {
            float& x = weights.x[m][n][e];
            x = power_of_two(x * p.scale_log2 - saved.lse_log2[m][e / 2]);
        });
        if (key + kKeys > p.seq_len || (p.causal && key + kKeys > first_row + 1))
            each_number<M, kKeys>([&](int m, int n, int e) {
                if (p.masks(first_row + row_of(t, m, e), key + column_of(t, n, e)))
                    weights.x[m][n][e] = 0;
            });
        Scores dweights;
        dweights.clear();
        add_row_products<kValueWidth>(t, dweights, douts, stage + kValues);
        uint64_t kept = 0;
        if constexpr (kDropout)
            kept = kept_by_query<M, kKeys>(t, KeptPairs(p, b, h), first_row, key);
        each_number<M, kKeys>([&](int m, int n, int e) {
            float d = dweights.x[m][n][e];
            if constexpr (kDropout) d = is_kept<M, kKeys>(kept, m, n, e) ? p.kept * d : 0.0f;
            weights.x[m][n][e] *= d - saved.dot[m][e / 2];
        });
        add_column_products(t, dquery, weights, stage);
    }
};

template <int kShape>
void flash_query_gradients(cudaStream_t stream, const FlashBackward& f,
                           const HeadGradient* targets) {
    constexpr TileShape kTile = kQueryGradientShapes[kShape];
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + kTile.rows() - 1) / kTile.rows(), p.n_head, f.batch};
    if (p.kept > 0)
        for_blocks<kTile.threads()>(stream, grid, query_gradient_shared_bytes(kTile),
                                    QueryGradientKernel<kShape, true>{f, targets});
    else
        for_blocks<kTile.threads()>(stream, grid, query_gradient_shared_bytes(kTile),
                                    QueryGradientKernel<kShape, false>{f, targets});
}

}  // namespace headroom::cuda
