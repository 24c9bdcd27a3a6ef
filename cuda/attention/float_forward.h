#pragma once

#include <cmath>

#include "cuda/attention/float_tile.h"
#include "cuda/attention/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {

/// ForwardKernel (forward.h) in float32. There is one tile of keys and one of values in shared
/// memory: values are on their way while scores are computed, the next keys while outputs are.
template <int kWidth, bool kDropout>
struct FloatForwardKernel {
    using Tile = FloatTile<kWidth, 4>;
    static constexpr uint32_t kKeys = Tile::kHeldBytes;
    static constexpr uint32_t kValues = kKeys + Tile::kStreamedBytes;
    static constexpr uint32_t kWeights = kValues + Tile::kStreamedBytes;
    static constexpr uint32_t kBytes = kWeights + Tile::kWeightBytes;
    static_assert(kBytes <= 99 << 10);  // what every device has

    FlashForward f;

    /// What a warp carries from tile to tile. `most` is not yet scaled.
    struct Running {
        FloatSums<kWidth> out{};
        float most[4], total[4]{};
    };

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const int tiles = (p.seq_len + Tile::kRows - 1) / Tile::kRows;
        // The last queries of a causal head see the most keys: they go first.
        const int first = (p.causal ? tiles - 1 - t.block_x() : t.block_x()) * Tile::kRows;
        const int h = t.block_y(), b = t.block_z(), first_row = first + 16 * t.warp();
        const int keys = p.keys_before(first + Tile::kRows);
        load_float_tile<Tile, Tile::kRows>(t, p, 0, p.queries[h], b, first, p.d_head);
        load_keys(t, h, b, 0);
        Running r;
        for (float& most : r.most) most = -INFINITY;
        for (int key = 0; key < keys; key += Tile::kStreamed) {
            const bool works = first_row < p.seq_len && (!p.causal || key < first_row + 16);
            t.wait_copies<0>();
            t.sync();  // keys are here, the last values have been read
            load_float_tile<Tile, Tile::kStreamed>(t, p, kValues, p.values[h], b, key, p.d_value);
            t.commit_copies();
            if (works) weigh(t, r, h, b, first_row, key);
            t.wait_copies<0>();
            t.sync();
            if (key + Tile::kStreamed < keys) load_keys(t, h, b, key + Tile::kStreamed);
            if (works) add_score_products<Tile>(t, r.out, kWeights, kValues);
        }
        write(t, r, h, b, first_row);
    }

  private:
    __device__ void load_keys(const BlockThread& t, int h, int b, int key) const {
        const FlashProblem& p = f.problem;
        load_float_tile<Tile, Tile::kStreamed>(t, p, kKeys, p.keys[h], b, key, p.d_head);
        t.commit_copies();
    }

    /// The weights of the outputs, relative to the running maximum, go to shared memory.
    __device__ void weigh(const BlockThread& t, Running& r, int h, int b, int first_row,
                          int key) const {
        const FlashProblem& p = f.problem;
        FloatScores s = row_products<Tile>(t, 0, kKeys, p.d_head);
        if (key + Tile::kStreamed > p.seq_len ||
            (p.causal && key + Tile::kStreamed > first_row + 1))
            each_score([&](int m, int n) {
                if (p.masks(first_row + score_row(t, m), key + score_column(t, n)))
                    s.x[m][n] = -INFINITY;
            });
        exponentiate(t, r, s, p.scale_log2);
        if constexpr (kDropout) {
            const uint32_t kept = kept_of_queries(t, KeptPairs(p, b, h), first_row, key);
            each_score(
                [&](int m, int n) { s.x[m][n] = is_kept(kept, m, n) ? p.kept * s.x[m][n] : 0.0f; });
        }
        put_scores<Tile>(t, s, kWeights);
    }

    __device__ static void exponentiate(const BlockThread& t, Running& r, FloatScores& s,
                                        float scale_log2) {
        float rescale[4];
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            float most = r.most[m], sum = 0;
#pragma unroll
            for (int n = 0; n < 4; ++n) most = s.x[m][n] > most ? s.x[m][n] : most;
            most = most_of_row<8>(t, most);
            rescale[m] = power_of_two((r.most[m] - most) * scale_log2);
            r.most[m] = most;
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                s.x[m][n] = power_of_two((s.x[m][n] - most) * scale_log2);
                sum += s.x[m][n];
            }
            r.total[m] = r.total[m] * rescale[m] + sum;
        }
        each_sum<kWidth>([&](int m, int n, int e) { r.out.x[m][n][e] *= rescale[m]; });
    }

    __device__ void write(const BlockThread& t, Running& r, int h, int b, int first_row) const {
        const FlashProblem& p = f.problem;
        float* lse = f.lse + (static_cast<int64_t>(b) * p.n_head + h) * p.seq_len;
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            const float total = r.total[m] = sum_of_row<8>(t, r.total[m]);
            const int i = first_row + score_row(t, m);
            if (t.lane() % 8 != 0 || i >= p.seq_len) continue;
            lse[i] = (f.add_lse ? lse[i] : 0.0f) + (r.most[m] * p.scale + logf(total));
        }
        each_sum<kWidth>([&](int m, int n, int e) { r.out.x[m][n][e] /= r.total[m]; });
        const int64_t columns = static_cast<int64_t>(p.n_head) * p.d_value;
        const int64_t row = static_cast<int64_t>(b) * p.seq_len + first_row;
        write_sums(t, r.out,
                   {static_cast<float*>(f.out) + row * columns + h * p.d_value, columns,
                    p.seq_len - first_row, p.d_value, f.add_out});
    }
};

template <int kWidth>
void float_forward(cudaStream_t stream, const FlashForward& f) {
    using Kept = FloatForwardKernel<kWidth, false>;
    using Dropped = FloatForwardKernel<kWidth, true>;
    using Tile = typename Kept::Tile;
    // Registers are left for four narrow blocks on a multiprocessor.
    constexpr int kBlocks = kWidth <= 64 ? 4 : 1;
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + Tile::kRows - 1) / Tile::kRows, p.n_head, f.batch};
    if (p.kept > 0)
        for_blocks<Tile::kThreads, kBlocks>(stream, grid, Kept::kBytes, Dropped{f});
    else
        for_blocks<Tile::kThreads, kBlocks>(stream, grid, Kept::kBytes, Kept{f});
}

}  // namespace headroom::cuda
