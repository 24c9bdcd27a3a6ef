#pragma once

#include "core/ops/attention_tiles.h"

// The three products of attention's backward kernel that sum over what the kernel made itself, P
// and dS, as a class of its own, so that there may be other ways to form them. dS is without the
// scale of the scores.

namespace headroom {

/// What one tile of query rows gives: D(P) and dS, [rows, keys] with the row stride of scores.
template <class A>
struct ScoreGradients {
    A *probs, *dscores;
};

/// In the accumulator type.
template <class T>
class PlainGradients {
    using A = accumulator_t<T>;

  public:
    PlainGradients(Scratch& scratch, const AttentionOptions& o, const AttentionSizes<T>& sizes)
        : o_(o), sizes_(sizes) {
        dkey_ = scratch.take<A>(sizes.seq_len * sizes.d_head);
        dvalue_ = scratch.take<A>(sizes.seq_len * sizes.d_value);
        q_ = scratch.take<A>(kTileRows * sizes.d_head);
        dout_ = scratch.take<A>(kTileRows * sizes.d_value);
        key_ = scratch.take<A>(sizes.seq_len * sizes.d_head);
    }

    void load_key(HeadRows<const T> key) {
        load_rows(key, sizes_.seq_len, o_.d_head, key_, sizes_.d_head);
    }
    void load_tile(const Tile& tile, HeadRows<const T> q, HeadRows<const T> dout) {
        load_rows(q, tile.rows, o_.d_head, q_, sizes_.d_head);
        load_rows(dout, tile.rows, o_.value_width(), dout_, sizes_.d_value);
    }
    /// Rows [first, first + rows) of the tile are made.
    void take_rows(const Tile&, const ScoreGradients<A>&, int64_t, int64_t) {}

    /// The gradient of the values = D(P)^T dout, or += it.
    void add_value(const Tile& tile, const ScoreGradients<A>& s, bool add) {
        tile_product<A>(tile.keys, InterleavedFactor<A>{s.probs, sizes_.stride},
                        {dout_, sizes_.d_value}, dvalue_, sizes_.d_value, add,
                        tile.over_rows(o_.value_width()));
    }
    /// That of the keys = dS^T q, or += it.
    void add_key(const Tile& tile, const ScoreGradients<A>& s, bool add) {
        tile_product<A>(tile.keys, InterleavedFactor<A>{s.dscores, sizes_.stride},
                        {q_, sizes_.d_head}, dkey_, sizes_.d_head, add, tile.over_rows(o_.d_head));
    }
    void clear_key() { std::fill_n(dkey_, sizes_.seq_len * sizes_.d_head, A{0}); }
    /// dq [rows, sizes.d_head] = dS key.
    void query(const Tile& tile, const ScoreGradients<A>& s, A* dq) {
        tile_product<A>(tile.rows, RowFactor<A>{s.dscores, sizes_.stride}, {key_, sizes_.d_head},
                        dq, sizes_.d_head, false, tile.over_keys(o_.d_head));
    }

    void write_value(bool add, HeadRows<T> to) {
        store_scaled<T>(dvalue_, sizes_.d_value, sizes_.seq_len, o_.value_width(), A{1}, add, to);
    }
    void write_key(A factor, bool add, HeadRows<T> to) {
        store_scaled<T>(dkey_, sizes_.d_head, sizes_.seq_len, o_.d_head, factor, add, to);
    }

  private:
    const AttentionOptions& o_;
    const AttentionSizes<T>& sizes_;
    A *dkey_, *dvalue_, *q_, *dout_, *key_;
};

/// The way that is taken for stored T: calls f.template operator()<gradients>().
template <class T, class F>
decltype(auto) with_gradients(F&& f) {
    return f.template operator()<PlainGradients<T>>();
}

}  // namespace headroom
