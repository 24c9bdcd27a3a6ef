#pragma once

#include "cuda/attention/float_tile.h"
#include "cuda/attention/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {

/// KeyGradientKernel (key_gradients.h) in float32: rows are keys, columns are queries.
template <int kWidth, bool kDropout>
struct FloatKeyGradientKernel {
    using Tile = FloatTile<kWidth, kWidth <= 64 ? 4 : 2>;
    static constexpr uint32_t kValues = Tile::kHeldBytes;
    static constexpr uint32_t kQueries = kValues + Tile::kHeldBytes;
    static constexpr uint32_t kDout = kQueries + Tile::kStreamedBytes;
    static constexpr uint32_t kLse = kDout + Tile::kStreamedBytes;
    static constexpr uint32_t kDots = kLse + 4 * Tile::kStreamed;
    static constexpr uint32_t kWeights = kDots + 4 * Tile::kStreamed;
    static constexpr uint32_t kBytes = kWeights + Tile::kWeightBytes;
    static_assert(kBytes <= 99 << 10);  // what every device has
    using Sums = FloatSums<kWidth>;

    FlashBackward f;
    const KeyItem* items;

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const KeyItem& item = items[t.block_y()];
        // The first keys of a causal head are seen by the most queries, and go first.
        const int first = t.block_x() * Tile::kRows, b = t.block_z();
        const int first_row = first + 16 * t.warp();
        load_float_tile<Tile, Tile::kRows>(t, p, 0, item.key, b, first, p.d_head);
        load_float_tile<Tile, Tile::kRows>(t, p, kValues, item.value, b, first, p.d_value);
        const int first_query = p.causal ? first / Tile::kStreamed * Tile::kStreamed : 0;
        Sums dkey{}, dvalue{};
        for (int reader = item.first_reader; reader < item.readers_end; ++reader)
            for (int query = first_query; query < p.seq_len; query += Tile::kStreamed) {
                const int h = f.readers[reader];
                load_queries(t, h, b, query);
                t.wait_copies<0>();
                t.sync();
                if (first_row < p.seq_len && (!p.causal || query + Tile::kStreamed > first_row))
                    add(t, dkey, dvalue, h, b, first_row, query);
                t.sync();
            }
        write(t, item, dkey, dvalue, b, first_row);
    }

  private:
    __device__ void load_queries(const BlockThread& t, int h, int b, int query) const {
        const FlashProblem& p = f.problem;
        load_float_tile<Tile, Tile::kStreamed>(t, p, kQueries, p.queries[h], b, query, p.d_head);
        load_float_tile<Tile, Tile::kStreamed>(t, p, kDout, f.dout_of<float>(h), b, query,
                                               p.d_value);
        const int64_t row = (static_cast<int64_t>(b) * p.n_head + h) * p.seq_len;
        for (int i = t.thread(); i < 2 * Tile::kStreamed; i += Tile::kThreads) {
            const float* from = (i < Tile::kStreamed ? f.lse : f.dots) + row;
            const int at = query + i % Tile::kStreamed;
            const bool there = at < p.seq_len;
            t.copy_async<4>(kLse + static_cast<uint32_t>(4 * i), from + (there ? at : 0),
                            there ? 4 : 0);
        }
        t.commit_copies();
    }

    __device__ void add(const BlockThread& t, Sums& dkey, Sums& dvalue, int h, int b, int first_row,
                        int query) const {
        const FlashProblem& p = f.problem;
        constexpr float kLog2E = 1.44269504088896341f;
        uint32_t kept = 0;
        if constexpr (kDropout) kept = kept_of_keys(t, KeptPairs(p, b, h), first_row, query);
        FloatScores weights = row_products<Tile>(t, 0, kQueries, p.d_head);
        each_score([&](int m, int n) {
            const int column = score_column(t, n);
            const float lse = t.load<float>(kLse + static_cast<uint32_t>(4 * column));
            float& x = weights.x[m][n];
            x = power_of_two(x * p.scale_log2 - lse * kLog2E);
            if (p.masks(query + column, first_row + score_row(t, m))) x = 0;
        });
        FloatScores dropped = weights;
        if constexpr (kDropout)
            each_score([&](int m, int n) {
                dropped.x[m][n] = is_kept(kept, m, n) ? p.kept * weights.x[m][n] : 0.0f;
            });
        t.sync_warp();  // the last weights have been read
        put_scores<Tile>(t, dropped, kWeights);
        t.sync_warp();
        add_score_products<Tile>(t, dvalue, kWeights, kDout);
        const FloatScores dweights = row_products<Tile>(t, kValues, kDout, p.d_value);
        each_score([&](int m, int n) {
            float d = dweights.x[m][n];
            if constexpr (kDropout) d = is_kept(kept, m, n) ? p.kept * d : 0.0f;
            const auto at = static_cast<uint32_t>(4 * score_column(t, n));
            weights.x[m][n] *= d - t.load<float>(kDots + at);
        });
        t.sync_warp();
        put_scores<Tile>(t, weights, kWeights);
        t.sync_warp();
        add_score_products<Tile>(t, dkey, kWeights, kQueries);
    }

    __device__ void write(const BlockThread& t, const KeyItem& item, Sums& dkey, const Sums& dvalue,
                          int b, int first_row) const {
        const FlashProblem& p = f.problem;
        const auto target = [&](const HeadGradient& to, int width) {
            return FloatTarget{to.row<float>(static_cast<int64_t>(b) * p.seq_len + first_row),
                               to.columns, p.seq_len - first_row, width, f.adds_to(to)};
        };
        each_sum<kWidth>([&](int m, int n, int e) {
            dkey.x[m][n][e] =
                p.scale * dkey.x[m][n][e] + (item.one_target ? dvalue.x[m][n][e] : 0.0f);
        });
        if (item.dkey.data != nullptr) write_sums(t, dkey, target(item.dkey, p.d_head));
        if (item.dvalue.data != nullptr && !item.one_target)
            write_sums(t, dvalue, target(item.dvalue, p.d_value));
    }
};

template <int kWidth>
void float_key_gradients(cudaStream_t stream, const FlashBackward& f, const KeyItem* items,
                         int count) {
    using Kept = FloatKeyGradientKernel<kWidth, false>;
    using Dropped = FloatKeyGradientKernel<kWidth, true>;
    using Tile = typename Kept::Tile;
    // Registers are left for three narrow blocks on a multiprocessor.
    constexpr int kBlocks = kWidth <= 64 ? 3 : 1;
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + Tile::kRows - 1) / Tile::kRows, count, f.batch};
    if (p.kept > 0)
        for_blocks<Tile::kThreads, kBlocks>(stream, grid, Kept::kBytes, Dropped{f, items});
    else
        for_blocks<Tile::kThreads, kBlocks>(stream, grid, Kept::kBytes, Kept{f, items});
}

}  // namespace headroom::cuda
