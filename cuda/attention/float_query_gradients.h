#pragma once

#include "cuda/attention/float_tile.h"
#include "cuda/attention/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {

/// QueryGradientKernel (query_gradients.h) in float32.
template <int kWidth, bool kDropout>
struct FloatQueryGradientKernel {
    using Tile = FloatTile<kWidth, kWidth <= 64 ? 4 : 2>;
    static constexpr uint32_t kDout = Tile::kHeldBytes;
    static constexpr uint32_t kKeys = kDout + Tile::kHeldBytes;
    static constexpr uint32_t kValues = kKeys + Tile::kStreamedBytes;
    static constexpr uint32_t kWeights = kValues + Tile::kStreamedBytes;
    static constexpr uint32_t kBytes = kWeights + Tile::kWeightBytes;
    static_assert(kBytes <= 99 << 10);  // what every device has

    FlashBackward f;
    const HeadGradient* targets;  ///< of every query head

    /// What was saved of a lane's rows.
    struct Saved {
        float lse_log2[4], dot[4];
    };

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const int tiles = (p.seq_len + Tile::kRows - 1) / Tile::kRows;
        const int first = (p.causal ? tiles - 1 - t.block_x() : t.block_x()) * Tile::kRows;
        const int h = t.block_y(), b = t.block_z(), first_row = first + 16 * t.warp();
        const int keys = p.keys_before(first + Tile::kRows);
        load_float_tile<Tile, Tile::kRows>(t, p, 0, p.queries[h], b, first, p.d_head);
        load_float_tile<Tile, Tile::kRows>(t, p, kDout, f.dout_of<float>(h), b, first, p.d_value);
        const Saved saved = saved_of(t, h, b, first_row);
        FloatSums<kWidth> dquery{};
        for (int key = 0; key < keys; key += Tile::kStreamed) {
            load_float_tile<Tile, Tile::kStreamed>(t, p, kKeys, p.keys[h], b, key, p.d_head);
            load_float_tile<Tile, Tile::kStreamed>(t, p, kValues, p.values[h], b, key, p.d_value);
            t.commit_copies();
            t.wait_copies<0>();
            t.sync();
            if (first_row < p.seq_len && (!p.causal || key < first_row + 16))
                add(t, dquery, saved, h, b, first_row, key);
            t.sync();
        }
        each_sum<kWidth>([&](int m, int n, int e) { dquery.x[m][n][e] *= p.scale; });
        const HeadGradient to = targets[h];
        write_sums(t, dquery,
                   {to.row<float>(static_cast<int64_t>(b) * p.seq_len + first_row), to.columns,
                    p.seq_len - first_row, p.d_head, f.adds_to(to)});
    }

  private:
    __device__ Saved saved_of(const BlockThread& t, int h, int b, int first_row) const {
        const FlashProblem& p = f.problem;
        constexpr float kLog2E = 1.44269504088896341f;
        Saved saved;
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            const int i = first_row + score_row(t, m);
            const int64_t at = (static_cast<int64_t>(b) * p.n_head + h) * p.seq_len + i;
            saved.lse_log2[m] = i < p.seq_len ? kLog2E * f.lse[at] : 0.0f;
            saved.dot[m] = i < p.seq_len ? f.dots[at] : 0.0f;
        }
        return saved;
    }

    __device__ void add(const BlockThread& t, FloatSums<kWidth>& dquery, const Saved& saved, int h,
                        int b, int first_row, int key) const {
        const FlashProblem& p = f.problem;
        uint32_t kept = 0;
        if constexpr (kDropout) kept = kept_of_queries(t, KeptPairs(p, b, h), first_row, key);
        FloatScores weights = row_products<Tile>(t, 0, kKeys, p.d_head);
        each_score([&](int m, int n) {
            float& x = weights.x[m][n];
            x = power_of_two(x * p.scale_log2 - saved.lse_log2[m]);
            if (p.masks(first_row + score_row(t, m), key + score_column(t, n))) x = 0;
        });
        const FloatScores dweights = row_products<Tile>(t, kDout, kValues, p.d_value);
        each_score([&](int m, int n) {
            float d = dweights.x[m][n];
            if constexpr (kDropout) d = is_kept(kept, m, n) ? p.kept * d : 0.0f;
            weights.x[m][n] *= d - saved.dot[m];
        });
        t.sync_warp();  // the last weights have been read
        put_scores<Tile>(t, weights, kWeights);
        t.sync_warp();
        add_score_products<Tile>(t, dquery, kWeights, kKeys);
    }
};

template <int kWidth>
void float_query_gradients(cudaStream_t stream, const FlashBackward& f,
                           const HeadGradient* targets) {
    using Kept = FloatQueryGradientKernel<kWidth, false>;
    using Dropped = FloatQueryGradientKernel<kWidth, true>;
    using Tile = typename Kept::Tile;
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + Tile::kRows - 1) / Tile::kRows, p.n_head, f.batch};
    if (p.kept > 0)
        for_blocks<Tile::kThreads>(stream, grid, Kept::kBytes, Dropped{f, targets});
    else
        for_blocks<Tile::kThreads>(stream, grid, Kept::kBytes, Kept{f, targets});
}

}  // namespace headroom::cuda
