#pragma once

#include "cuda/attention/kernels.h"
#include "cuda/attention/warp_tile.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {

/// Gradients of keys and values: Dao 2023, arXiv:2307.08691, algorithm 2, without its sums of dq,
/// so that no two blocks add into one place. A block holds a tile of keys and values, and streams
/// past them the queries of every head that reads them and the gradients of their outputs. A warp
/// computes S^T and dP^T, rows its keys, whose numbers then are left factors as they lie.
template <int kShape, bool kDropout>
struct KeyGradientKernel {
    static constexpr TileShape kTile = kKeyGradientShapes[kShape];
    static constexpr int M = kTile.row_tiles, kRows = kTile.rows(), kQueries = kTile.streamed;
    static constexpr int kKeyWidth = kTile.key_width, kValueWidth = kTile.value_width;
    static constexpr int kThreads = kTile.threads();
    // Offsets of the tile of values and of the two stages; of a stage's parts.
    static constexpr uint32_t kValues = kRows * row_stride(kKeyWidth);
    static constexpr uint32_t kStage = kValues + kRows * row_stride(kValueWidth);
    static constexpr uint32_t kDout = kQueries * row_stride(kKeyWidth);
    static constexpr uint32_t kLse = kDout + kQueries * row_stride(kValueWidth);
    static constexpr uint32_t kDots = kLse + 4 * kQueries;
    static constexpr uint32_t kStageBytes = kDots + 4 * kQueries;
    using Scores = Sums<M, kQueries>;

    FlashBackward f;
    const KeyItem* items;

    /// A tile of queries of one head.
    struct Queries {
        int head, first;
    };

    __device__ void operator()(const BlockThread& t) const {
        const FlashProblem& p = f.problem;
        const KeyItem& item = items[t.block_y()];
        // The first keys of a causal head are seen by the most queries, and go first.
        const int first = t.block_x() * kRows, b = t.block_z();
        load_tile<kRows, kKeyWidth, kThreads>(t, 0, rows_of(item.key, b, first, p.d_head),
                                              p.alignment);
        load_tile<kRows, kValueWidth, kThreads>(
            t, kValues, rows_of(item.value, b, first, p.d_value), p.alignment);
        const int first_tile = p.causal ? first / kQueries : 0;
        const int tiles = (p.seq_len + kQueries - 1) / kQueries - first_tile;
        const auto queries = [&](int n) {
            return Queries{f.readers[item.first_reader + n / tiles],
                           (first_tile + n % tiles) * kQueries};
        };
        const int steps = tiles * (item.readers_end - item.first_reader);
        load_queries(t, b, queries(0), kStage);
        Sums<M, kKeyWidth> dkey;
        Sums<M, kValueWidth> dvalue;
        dkey.clear();
        dvalue.clear();
        const int first_row = first + t.warp() * 16 * M;
        for (int n = 0; n < steps; ++n) {
            t.wait_copies<0>();
            t.sync();
            if (n + 1 < steps)
                load_queries(t, b, queries(n + 1), kStage + (n + 1) % 2 * kStageBytes);
            const Queries now = queries(n);
            if (first_row < p.seq_len && (!p.causal || now.first + kQueries > first_row))
                add(t, dkey, dvalue, now, b, first_row, kStage + n % 2 * kStageBytes);
        }
        write(t, item, dkey, dvalue, b, first_row);
    }

  private:
    __device__ TileRows rows_of(const HeadAt& head, int b, int first, int width) const {
        const FlashProblem& p = f.problem;
        return {head, f.dout, static_cast<int64_t>(b) * p.seq_len + first, p.seq_len - first,
                width};
    }
    __device__ void load_queries(const BlockThread& t, int b, const Queries& q, uint32_t to) const {
        const FlashProblem& p = f.problem;
        const HeadAt dout = f.dout_of<bf16>(q.head);
        load_tile<kQueries, kKeyWidth, kThreads>(
            t, to, rows_of(p.queries[q.head], b, q.first, p.d_head), p.alignment);
        load_tile<kQueries, kValueWidth, kThreads>(
            t, to + kDout, rows_of(dout, b, q.first, p.d_value), p.alignment);
        const int64_t row = (static_cast<int64_t>(b) * p.n_head + q.head) * p.seq_len;
        for (int i = t.thread(); i < 2 * kQueries; i += kThreads) {
            const float* from = (i < kQueries ? f.lse : f.dots) + row;
            const int at = q.first + i % kQueries;
            const bool there = at < p.seq_len;
            t.copy_async<4>(to + kLse + static_cast<uint32_t>(4 * i), from + (there ? at : 0),
                            there ? 4 : 0);
        }
        t.commit_copies();
    }

    __device__ void add(const BlockThread& t, Sums<M, kKeyWidth>& dkey,
                        Sums<M, kValueWidth>& dvalue, const Queries& q, int b, int first_row,
                        uint32_t stage) const {
        const FlashProblem& p = f.problem;
        constexpr float kLog2E = 1.44269504088896341f;
        const auto warp_row = static_cast<uint32_t>(t.warp() * 16 * M);
        const SharedRows<M, kKeyWidth> keys{warp_row * row_stride(kKeyWidth)};
        const SharedRows<M, kValueWidth> values{kValues + warp_row * row_stride(kValueWidth)};
        uint64_t kept = 0;
        if constexpr (kDropout)
            kept = kept_by_key<M, kQueries>(t, KeptPairs(p, b, q.head), first_row, q.first);
        Scores weights, dropped;
        weights.clear();
        add_row_products<kKeyWidth>(t, weights, keys, stage);
        each_number<M, kQueries>([&](int m, int n, int e) {
            const int column = column_of(t, n, e);
            const float lse = t.load<float>(stage + kLse + static_cast<uint32_t>(4 * column));
            float& x = weights.x[m][n][e];
            x = power_of_two(x * p.scale_log2 - lse * kLog2E);
        });
        if (p.causal && first_row + 16 * M > q.first + 1)
            each_number<M, kQueries>([&](int m, int n, int e) {
                if (first_row + row_of(t, m, e) > q.first + column_of(t, n, e))
                    weights.x[m][n][e] = 0;
            });
        if constexpr (kDropout) {
            each_number<M, kQueries>([&](int m, int n, int e) {
                dropped.x[m][n][e] =
                    is_kept<M, kQueries>(kept, m, n, e) ? p.kept * weights.x[m][n][e] : 0.0f;
            });
            add_column_products(t, dvalue, dropped, stage + kDout);
        } else {
            add_column_products(t, dvalue, weights, stage + kDout);
        }
        Scores dweights;
        dweights.clear();
        add_row_products<kValueWidth>(t, dweights, values, stage + kDout);
        each_number<M, kQueries>([&](int m, int n, int e) {
            const auto at = static_cast<uint32_t>(4 * column_of(t, n, e));
            float d = dweights.x[m][n][e];
            if constexpr (kDropout) d = is_kept<M, kQueries>(kept, m, n, e) ? p.kept * d : 0.0f;
            weights.x[m][n][e] *= d - t.load<float>(stage + kDots + at);
        });
        add_column_products(t, dkey, weights, stage);
    }

    __device__ void write(const BlockThread& t, const KeyItem& item, Sums<M, kKeyWidth>& dkey,
                          const Sums<M, kValueWidth>& dvalue, int b, int first_row) const {
        const FlashProblem& p = f.problem;
        const auto target = [&](const HeadGradient& to, int width) {
            return RowTarget{to.row<bf16>(static_cast<int64_t>(b) * p.seq_len + first_row),
                             to.columns, p.seq_len - first_row, width, f.adds_to(to)};
        };
        if constexpr (kKeyWidth == kValueWidth)
            if (item.one_target) {
                const float unscaled = 1 / p.scale;
                each_number<M, kKeyWidth>(
                    [&](int m, int n, int e) { dkey.x[m][n][e] += dvalue.x[m][n][e] * unscaled; });
            }
        if (item.dkey.data != nullptr)
            write_rows(t, dkey, target(item.dkey, p.d_head), [&](int, int) { return p.scale; });
        if (item.dvalue.data != nullptr && !item.one_target)
            write_rows(t, dvalue, target(item.dvalue, p.d_value), [](int, int) { return 1.0f; });
    }
};

template <int kShape>
void flash_key_gradients(cudaStream_t stream, const FlashBackward& f, const KeyItem* items,
                         int count) {
    constexpr TileShape kTile = kKeyGradientShapes[kShape];
    const FlashProblem& p = f.problem;
    const Grid grid{(p.seq_len + kTile.rows() - 1) / kTile.rows(), count, f.batch};
    if (p.kept > 0)
        for_blocks<kTile.threads()>(stream, grid, key_gradient_shared_bytes(kTile),
                                    KeyGradientKernel<kShape, true>{f, items});
    else
        for_blocks<kTile.threads()>(stream, grid, key_gradient_shared_bytes(kTile),
                                    KeyGradientKernel<kShape, false>{f, items});
}

}  // namespace headroom::cuda
