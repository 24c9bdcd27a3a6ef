#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "core/ops/attention_tiles.h"

// The three products of attention's backward kernel that sum over what the kernel made itself, P
// and dS: two ways to form them, with the same members. dS is without the scale of the scores.

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

#if HEADROOM_AMX

/// In tiles of AMX. P and dS are split into two bfloat16 numbers each, the second what the first
/// leaves over, so that 16 of their bits count and not 8. Both stand one after the other in the
/// depth of a product. Gradients of keys and values are summed transposed, since P and dS serve as
/// right factors as they come.
class TileGradients {
    using T = bf16;
    static constexpr int64_t kDepth = 2 * kTileRows;  ///< the first numbers, then what they leave

  public:
    TileGradients(Scratch& scratch, const AttentionOptions& o, const AttentionSizes<T>& sizes)
        : o_(o), sizes_(sizes) {
        const int64_t widest = std::max(sizes.d_head, sizes.d_value);
        probs_ = scratch.take<T>(kDepth * sizes.stride);
        dscores_ = scratch.take<T>(kDepth * sizes.stride);
        rows_ = scratch.take<T>(kDepth * sizes.stride);
        q_ = scratch.take<T>(sizes.d_head * kDepth);
        dout_ = scratch.take<T>(sizes.d_value * kDepth);
        key_ = scratch.take<T>(sizes.interleaved(sizes.d_head));
        pairs_ = scratch.take<T>(kTileRows * widest);
        dkey_ = scratch.take<float>(sizes.d_head * sizes.stride);
        dvalue_ = scratch.take<float>(sizes.d_value * sizes.stride);
        turned_ = scratch.take<float>(kAmxRows * widest);
    }

    void load_key(HeadRows<const T> key) {
        interleave_rows(key, sizes_.seq_len, o_.d_head, key_, sizes_.d_head);
    }
    void load_tile(const Tile& tile, HeadRows<const T> q, HeadRows<const T> dout) {
        load_columns(q, tile.rows, o_.d_head, sizes_.d_head, q_);
        load_columns(dout, tile.rows, o_.value_width(), sizes_.d_value, dout_);
    }
    /// Rows that the tile does not have count as zeros: the last group of rows fills them in.
    void take_rows(const Tile& tile, const ScoreGradients<float>& s, int64_t first, int64_t rows) {
        const int64_t padded = whole_steps<T>(tile.keys), seen = tile.seen(first);
        const int64_t end = first + rows == tile.rows ? kTileRows : first + rows;
        for (int64_t r = first; r < end; r += 2) {
            split_rows<false>(tile, s.probs, r, seen, padded, probs_);
            split_rows<true>(tile, s.dscores, r, seen, padded, dscores_);
        }
    }

    void add_value(const Tile& tile, const ScoreGradients<float>&, bool add) {
        multiply(tile, dout_, o_.value_width(), probs_, dvalue_, add);
    }
    void add_key(const Tile& tile, const ScoreGradients<float>&, bool add) {
        multiply(tile, q_, o_.d_head, dscores_, dkey_, add);
    }
    void clear_key() { std::fill_n(dkey_, sizes_.d_head * sizes_.stride, 0.0f); }
    void query(const Tile& tile, const ScoreGradients<float>&, float* dq) {
        for (const bool rest : {false, true})
            tile_product<T>(
                tile.rows,
                RowFactor<T>{rows_ + (rest ? kTileRows * sizes_.stride : 0), sizes_.stride},
                {key_, sizes_.d_head}, dq, sizes_.d_head, rest, tile.over_keys(o_.d_head));
    }

    void write_value(bool add, HeadRows<T> to) {
        write(dvalue_, sizes_.d_value, o_.value_width(), 1.0f, add, to);
    }
    void write_key(float factor, bool add, HeadRows<T> to) {
        write(dkey_, sizes_.d_head, o_.d_head, factor, add, to);
    }

  private:
    /// to [padded, kDepth] = the transpose of from [rows, width], twice side by side.
    void load_columns(HeadRows<const T> from, int64_t rows, int64_t width, int64_t padded, T* to) {
        interleave_rows(from, rows, width, pairs_, padded);
        const int64_t taken = whole_steps<T>(rows) * padded;
        std::fill_n(pairs_ + taken, kTileRows * padded - taken, T{});
        const auto* units = reinterpret_cast<const uint32_t*>(pairs_);
        auto* turned = reinterpret_cast<uint32_t*>(to);
        for (int64_t c = 0; c < padded; c += kAmxRows)
            for (int64_t pair = 0; pair < kTileRows / 2; pair += kAmxRows)
                transpose_square(units + pair * padded + c, padded, turned + c * kDepth / 2 + pair,
                                 kDepth / 2);
        for (int64_t c = 0; c < padded; ++c)
            std::copy_n(to + c * kDepth, kTileRows, to + c * kDepth + kTileRows);
    }

    using Halves [[gnu::vector_size(32)]] = uint16_t;
    static Vector<uint32_t> widened(__m256bh numbers) {
        return std::bit_cast<Vector<uint32_t>>(
            _mm512_maskz_cvtepu16_epi32(0xffff, std::bit_cast<__m256i>(numbers)));
    }
    static void store(Halves numbers, T* to) {
        std::memcpy(static_cast<void*>(to), &numbers, sizeof(numbers));
    }
    /// Rows r and r + 1 of scores as one step of the right factor `pairs`, what they leave over as
    /// the step half the depth below; kRows: as rows of the left factor, too. Zeros from key `seen`
    /// to `padded`, and for a row that the tile does not have.
    template <bool kRows>
    void split_rows(const Tile& tile, const float* scores, int64_t r, int64_t seen, int64_t padded,
                    T* pairs) const {
        const int64_t stride = sizes_.stride;
        const float *x = scores + r * stride, *y = x + stride;
        const auto interleaved = std::bit_cast<__m512i>(kInterleaved);
        for (int64_t j = 0; j < padded; j += kAmxRows) {
            const auto there =
                static_cast<__mmask16>((1u << std::clamp<int64_t>(seen - j, 0, kAmxRows)) - 1);
            __m512 v = _mm512_maskz_loadu_ps(r < tile.rows ? there : 0, x + j),
                   w = _mm512_maskz_loadu_ps(r + 1 < tile.rows ? there : 0, y + j);
            const __m256bh near_v = _mm512_cvtneps_pbh(v), near_w = _mm512_cvtneps_pbh(w);
            const Vector<uint32_t> lower = widened(near_v), upper = widened(near_w) << 16;
            v -= std::bit_cast<__m512>(lower << 16);
            w -= std::bit_cast<__m512>(upper);
            const auto rest = std::bit_cast<__m512i>(_mm512_cvtne2ps_pbh(w, v));
            T* const pair = pairs + r * stride + 2 * j;
            _mm512_storeu_si512(pair, std::bit_cast<__m512i>(lower | upper));
            _mm512_storeu_si512(pair + kTileRows * stride,
                                _mm512_maskz_permutexvar_epi16(~__mmask32{}, interleaved, rest));
            if constexpr (kRows) {
                T* const row = rows_ + r * stride + j;
                store(std::bit_cast<Halves>(near_v), row);
                store(std::bit_cast<Halves>(near_w), row + stride);
                const auto of_rows = std::bit_cast<std::array<Halves, 2>>(rest);
                store(of_rows[0], row + kTileRows * stride);
                store(of_rows[1], row + (kTileRows + 1) * stride);
            }
        }
    }

    /// sums [width, keys] = columns right, or += it.
    void multiply(const Tile& tile, const T* columns, int64_t width, const T* right, float* sums,
                  bool add) const {
        tile_product<T>(width, RowFactor<T>{columns, kDepth}, {right, sizes_.stride}, sums,
                        sizes_.stride, add, [&](int64_t) {
                            return ProductReach{tile.keys, 0, kDepth};
                        });
    }

    /// The transpose of sums [width, seq_len].
    void write(const float* sums, int64_t padded, int64_t width, float factor, bool add,
               HeadRows<T> to) {
        for (int64_t t = 0; t < sizes_.seq_len; t += kAmxRows) {
            for (int64_t c = 0; c < padded; c += kAmxRows)
                transpose_square(reinterpret_cast<const uint32_t*>(sums + c * sizes_.stride + t),
                                 sizes_.stride, reinterpret_cast<uint32_t*>(turned_ + c), padded);
            store_scaled<T>(turned_, padded, std::min(kAmxRows, sizes_.seq_len - t), width, factor,
                            add, {to.row(t), to.stride});
        }
    }

    /// Lanes of 16 numbers and 16 others that make pairs of them.
    static constexpr auto kInterleaved = [] {
        std::array<uint16_t, 2 * kAmxRows> lanes{};
        for (uint16_t i = 0; i < kAmxRows; ++i) {
            lanes[2 * i] = i;
            lanes[2 * i + 1] = kAmxRows + i;
        }
        return lanes;
    }();

    const AttentionOptions& o_;
    const AttentionSizes<T>& sizes_;
    T *probs_, *dscores_, *rows_, *q_, *dout_, *key_, *pairs_;
    float *dkey_, *dvalue_, *turned_;
};

#endif

/// The way that is taken for stored T: calls f.template operator()<gradients>().
template <class T, class F>
decltype(auto) with_gradients(F&& f) {
#if HEADROOM_AMX
    if constexpr (std::is_same_v<T, bf16>)
        if (may_use_amx()) return f.template operator()<TileGradients>();
#endif
    return f.template operator()<PlainGradients<T>>();
}

}  // namespace headroom
