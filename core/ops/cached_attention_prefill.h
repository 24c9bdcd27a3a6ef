#pragma once

#include <algorithm>

#include "core/ops/attention_tiles.h"
#include "core/ops/cached_attention.h"

// Attention of many new rows over caches, a prompt's, on tile products as in training
// (attention_cpu.cpp): the cached heads are laid out once for all rows of a query head.

namespace headroom {

inline constexpr int64_t kFewestTiledRows = 8;  ///< for which it pays to lay the caches out

/// One query head of one batch row, all rows of the call.
template <class T>
class PrefillTask {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    static constexpr int64_t kRows = kProductRows<E>;

    struct Space {
        A *scores, *out;
        E *probs, *q, *key, *value, *block;

        Space(Scratch& scratch, const CachedAttentionOptions& o, int64_t capacity)
            : scores(scratch.take<A>(kRows * score_stride(capacity))),
              out(scratch.take<A>(kRows * out_stride(o))),
              probs(scratch.take<E>(kRows * score_stride(capacity))),
              q(scratch.take<E>(kRows * whole_steps<E>(o.query_width))),
              key(scratch.take<E>(most_columns(o.keys, transposed_width<E>) *
                                  score_stride(capacity))),
              value(scratch.take<E>(most_columns(o.values, whole_vectors<E>) *
                                    whole_steps<E>(capacity))),
              block(scratch.take<E>(kTransposedRows<E> * transposed_width<E>(o.query_width))) {}
    };
    /// Of all segments of a head, each filled up by `padded`.
    template <class Padded>
    static int64_t most_columns(const std::vector<std::vector<CacheSegment>>& heads,
                                Padded&& padded) {
        int64_t most = 0;
        for (const auto& segments : heads) {
            int64_t columns = 0;
            for (const CacheSegment& s : segments) columns += padded(s.width);
            most = std::max(most, columns);
        }
        return most;
    }
    /// A segment's columns are filled up to whole vectors, wherever they begin.
    static int64_t out_stride(const CachedAttentionOptions& o) {
        return whole_vectors<E>(o.out_width) + kLanes<A>;
    }

  public:
    static int64_t bytes(const CachedAttentionOptions& o, int64_t capacity) {
        Scratch counter(nullptr);
        Space(counter, o, capacity);
        return counter.bytes();
    }

    PrefillTask(const CachedAttentionOptions& o, const KernelCall& call, int64_t b, int64_t h,
                std::byte* workspace)
        : o_(o),
          call_(call),
          b_(b),
          h_(h),
          g_(static_cast<size_t>(o.kv_head_of(h))),
          stride_(score_stride(call.inputs[1].type.shape[2])),
          scratch_(workspace),
          space_(scratch_, o, call.inputs[1].type.shape[2]) {}

    /// Rows [0, rows), the first of which stands at StepContext::position.
    void run(int64_t rows) {
        const KeptAmxTiles kept;
        const int64_t position = call_.step.position;
        keys_ = position + rows;
        lay_out();
        for (int64_t t = 0; t < rows; t += kRows) {
            const int64_t count = std::min(kRows, rows - t), first = position + t;
            const Tile tile{b_, h_, first, count, first + count, true, kRows};
            A factors[kRows];
            score(tile, t);
            turn_into_probs(tile, factors);
            add_values(tile);
            const HeadRows<T> to = head_rows<T>(call_.outputs[0], b_, h_, o_.out_width);
            for (int64_t r = 0; r < count; ++r)
                store_scaled<T>(space_.out + r * out_stride(o_), out_stride(o_), 1, o_.out_width,
                                factors[r], call_.accumulate[0] != 0, {to.row(t + r), to.stride});
        }
    }

  private:
    HeadRows<const T> cached(const CacheSegment& s) const {
        const Tensor& cache = call_.inputs[1 + static_cast<size_t>(s.cache)];
        const Shape& shape = cache.type.shape;
        return {cache.as<const T>() + (b_ * shape[1] + s.head) * shape[2] * shape[3] + s.first,
                shape[3]};
    }
    /// Every segment as a right factor, one after the other.
    void lay_out() {
        E *key = space_.key, *value = space_.value;
        for (const CacheSegment& s : o_.keys[g_]) {
            interleave_transposed(cached(s), keys_, s.width, key, stride_, space_.block);
            key += transposed_width<E>(s.width) * stride_;
        }
        for (const CacheSegment& s : o_.values[g_]) {
            interleave_rows(cached(s), keys_, s.width, value, whole_vectors<E>(s.width));
            value += whole_steps<E>(keys_) * whole_vectors<E>(s.width);
        }
    }

    /// The tile's queries, of which row `t` of q is the first, times all keys.
    void score(const Tile& tile, int64_t t) {
        const HeadRows<const T> q = head_rows<const T>(call_.inputs[0], b_, h_, o_.query_width);
        const E* key = space_.key;
        bool add = false;
        for (const CacheSegment& s : o_.keys[g_]) {
            tile_product<E>(tile.rows,
                            left_factor<E>(HeadRows<const T>{q.row(t) + s.at, q.stride}, tile.rows,
                                           s.width, space_.q, whole_steps<E>(s.width)),
                            {key, stride_}, space_.scores, stride_, add, tile.of_keys(s.width));
            key += transposed_width<E>(s.width) * stride_;
            add = true;
        }
        for (int64_t r = 0; !add && r < tile.rows; ++r)
            std::fill_n(space_.scores + r * stride_, tile.keys, A{0});
    }
    /// Exponentials, and for each row the factor that makes their sum 1.
    void turn_into_probs(const Tile& tile, A* factors) {
        for (int64_t r = 0; r < tile.rows; ++r)
            factors[r] = A{1} / softmax_of_row(tile, r, o_.scale, space_.scores + r * stride_,
                                               space_.probs + r * stride_)
                                    .sum;
    }
    void add_values(const Tile& tile) {
        std::fill_n(space_.out, kRows * out_stride(o_), A{0});
        const E* value = space_.value;
        for (const CacheSegment& s : o_.values[g_]) {
            const int64_t width = whole_vectors<E>(s.width);
            tile_product<E>(tile.rows, RowFactor<E>{space_.probs, stride_}, {value, width},
                            space_.out + s.at, out_stride(o_), true, tile.over_keys(s.width));
            value += whole_steps<E>(keys_) * width;
        }
    }

    const CachedAttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_, h_;
    size_t g_;
    int64_t stride_, keys_ = 0;
    Scratch scratch_;
    Space space_;
};

}  // namespace headroom
