#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/cpu/dropout_mask.h"
#include "core/cpu/fetch_rows.h"
#include "core/cpu/store_each.h"
#include "core/cpu/tile_product.h"
#include "core/cpu/vector_math.h"
#include "core/ops/attention.h"
#include "core/ops/softmax_row.h"
#include "core/ops/store.h"

// What the forward and the backward kernel of attention share: tiles of kTileRows query rows
// against all keys that they see, and heads laid out for products. Products are formed from
// factor_t<T>, all else is done in A, the accumulator type.

namespace headroom {

inline constexpr int64_t kTileRows = 64;
static_assert(kTileRows % kProductRows<bf16> == 0 && kTileRows % kProductRows<double> == 0,
              "groups of rows begin at whole groups of keys");

/// Row stride of a tile of scores: whole vectors, and no power of two (cache sets).
inline int64_t score_stride(int64_t seq_len) {
    return (seq_len + 15) / 16 * 16 + 16;
}

/// Hands out aligned pieces of one thread's workspace. With no memory behind it, it only counts.
class Scratch {
  public:
    explicit Scratch(std::byte* data) : data_(data) {}

    template <class A>
    A* take(int64_t count) {
        A* piece = reinterpret_cast<A*>(data_ == nullptr ? nullptr : data_ + used_);
        used_ += (count * static_cast<int64_t>(sizeof(A)) + 63) / 64 * 64;
        return piece;
    }
    int64_t bytes() const { return used_; }

  private:
    std::byte* data_;
    int64_t used_ = 0;
};

/// Rows of one head: `data` points to its first column in the first row.
template <class A>
struct HeadRows {
    A* data = nullptr;
    int64_t stride = 0;

    A* row(int64_t t) const { return data + t * stride; }
};

/// Head `head` of batch row `b` of a tensor [B, T, n d_head].
template <class T>
HeadRows<T> head_rows(const Tensor& tensor, int64_t b, int64_t head, int64_t d_head) {
    const int64_t columns = tensor.columns(), seq_len = tensor.type.shape[1];
    return {tensor.as<T>() + b * seq_len * columns + head * d_head, columns};
}

/// to = from, rows of `padded` numbers, filled up with zeros.
template <class T, class E>
void load_rows(HeadRows<const T> from, int64_t rows, int64_t width, E* to, int64_t padded) {
    for (int64_t t = 0; t < rows; ++t) {
        const T* x = from.row(t);
        E* y = to + t * padded;
        if constexpr (std::is_same_v<T, E>) {
            std::copy_n(x, width, y);
        } else {
#pragma omp simd
            for (int64_t c = 0; c < width; ++c) y[c] = x[c];
        }
        std::fill_n(y + width, padded - width, E{});
    }
}

/// from [rows, width] as a left factor: where it lies, if its rows are whole tiles, otherwise as a
/// copy in `space`, filled up with zeros to `padded` numbers.
template <class E, class T>
RowFactor<E> left_factor(HeadRows<const T> from, int64_t rows, int64_t width, E* space,
                         int64_t padded) {
    if constexpr (kAmxTiles<E>)
        if (width == padded) return {from.data, from.stride};
    load_rows(from, rows, width, space, padded);
    return {space, padded};
}

/// to = from [rows, width] as a right factor [whole_steps(rows), padded], filled up with zeros.
template <class T, class E>
void interleave_rows(HeadRows<const T> from, int64_t rows, int64_t width, E* to, int64_t padded) {
    const int64_t taken = (rows + kDepthStep<E> - 1) / kDepthStep<E> * kDepthStep<E>;
    std::fill_n(to + taken * padded, (whole_steps<E>(rows) - taken) * padded, E{});
    if constexpr (kDepthStep<E> == 1) {
        load_rows(from, rows, width, to, padded);
    } else {
        constexpr int64_t kAhead = 16;
        for (int64_t t = 0; t < rows; t += 2) {
            const bool pair = t + 1 < rows;
            if (t + kAhead + 2 <= rows) fetch_rows(from.row(t + kAhead), from.stride, 2, width);
            const T *x = from.row(t), *y = pair ? from.row(t + 1) : x;
            E* z = to + t * padded;
            const uint16_t keep = pair ? 0xffff : 0;
#pragma omp simd
            for (int64_t c = 0; c < width; ++c) {
                z[2 * c].bits = x[c].bits;
                z[2 * c + 1].bits = y[c].bits & keep;
            }
            std::fill_n(z + 2 * width, 2 * (padded - width), E{});
        }
    }
}

/// Rows and columns of the blocks in which a head is transposed.
template <class E>
inline constexpr int64_t kTransposedRows = kLanes<StepUnit<E>>;
template <class E>
constexpr int64_t transposed_width(int64_t width) {
    constexpr int64_t block = kTransposedRows<E> * kDepthStep<E>;
    return (width + block - 1) / block * block;
}

/// to = the transpose of from [rows, width] as a right factor [width, ld], filled up with zeros;
/// `block` has room for kTransposedRows rows of transposed_width, for what is not whole blocks.
template <class T, class E>
void interleave_transposed(HeadRows<const T> from, int64_t rows, int64_t width, E* to, int64_t ld,
                           E* block) {
    using U = StepUnit<E>;
    constexpr int64_t n = kTransposedRows<E>;
    const int64_t padded = transposed_width<E>(width), units = padded / kDepthStep<E>;
    for (int64_t t = 0; t < rows; t += n) {
        const int64_t count = std::min(n, rows - t);
        if (t + 2 * n <= rows) fetch_rows(from.row(t + n), from.stride, n, width);
        HeadRows<const E> block_rows{block, padded};
        const bool whole = count == n && width == padded && from.stride % kDepthStep<E> == 0;
        if constexpr (std::is_same_v<T, E>)
            if (whole) block_rows = {from.row(t), from.stride};
        if (block_rows.data == block) {
            load_rows(HeadRows<const T>{from.row(t), from.stride}, count, width, block, padded);
            std::fill_n(block + count * padded, (n - count) * padded, E{});
        }
        for (int64_t c = 0; c < units; c += n)
            transpose_square(reinterpret_cast<const U*>(block_rows.data) + c,
                             block_rows.stride / kDepthStep<E>,
                             reinterpret_cast<U*>(to) + c * ld + t, ld);
    }
}

/// to = factor * from, or to += it; rows of `from` have `padded` numbers.
template <class T, class A>
void store_scaled(const A* from, int64_t padded, int64_t rows, int64_t width, A factor,
                  bool accumulate, HeadRows<T> to) {
    for (int64_t t = 0; t < rows; ++t) {
        const A* x = from + t * padded;
        T* y = to.row(t);
        int64_t c = 0;
        for (; c + kLanes<A> <= width; c += kLanes<A>) {
            Vector<A> v = factor * load_vector(x + c);
            if (accumulate) v += load_vector(y + c);
            store_vector_rounded(y + c, v);
        }
        for (; c < width; ++c)
            y[c] = accumulate ? static_cast<A>(y[c]) + factor * x[c] : factor * x[c];
    }
}

/// Sizes of one call, filled up as the products want them.
template <class T>
struct AttentionSizes {
    using E = factor_t<T>;

    int64_t seq_len;
    int64_t stride;               ///< of scores
    int64_t d_head, d_value;      ///< whole vectors: right factors and sums
    int64_t q_width, dout_width;  ///< whole steps: rows of left factors

    AttentionSizes(const AttentionOptions& o, int64_t length)
        : seq_len(length),
          stride(score_stride(length)),
          d_head(whole_vectors<E>(o.d_head)),
          d_value(whole_vectors<E>(o.value_width())),
          q_width(whole_steps<E>(o.d_head)),
          dout_width(whole_steps<E>(o.value_width())) {}

    /// Numbers of a right factor of all keys, and of one that is transposed, for heads so wide.
    int64_t interleaved(int64_t padded) const { return whole_steps<E>(seq_len) * padded; }
    int64_t transposed(int64_t width) const { return transposed_width<E>(width) * stride; }
    int64_t block(int64_t width) const { return kTransposedRows<E> * transposed_width<E>(width); }
};

/// One tile of query rows [first, first + rows) of head h in batch row b.
struct Tile {
    int64_t b, h, first, rows;
    int64_t keys;  ///< how many keys its last row sees
    bool causal;
    int64_t group;  ///< kProductRows of the products that make its scores

    /// How many keys the group of rows sees that row i is in.
    int64_t seen(int64_t i) const {
        return causal ? std::min(keys, first + i - i % group + group) : keys;
    }
    /// Of scores and their gradients, [rows, keys] from `depth` columns.
    auto of_keys(int64_t depth) const {
        return [this, depth](int64_t i) { return ProductReach{seen(i), 0, depth}; };
    }
    /// Of what sums over keys, [rows, n].
    auto over_keys(int64_t n) const {
        return [this, n](int64_t i) { return ProductReach{n, 0, seen(i)}; };
    }
    /// Of what sums over the rows, [keys, n]: those before key j do not see it.
    auto over_rows(int64_t n) const {
        return [this, n](int64_t j) {
            return ProductReach{n, causal ? std::max<int64_t>(0, j - first) : 0, rows};
        };
    }
};

/// What row r of a tile of scores does not see of the pairs that its group makes becomes -infinity,
/// and the rest of the last vector too, so that no loop over the row ends in single numbers. How
/// many numbers the row then has.
template <class A>
int64_t mask_row(const Tile& tile, int64_t r, A* row) {
    const int64_t end = whole_vectors<A>(tile.seen(r));
    std::fill(row + (tile.causal ? tile.first + r + 1 : tile.keys), row + end,
              -std::numeric_limits<A>::infinity());
    return end;
}

/// Turns row r of a tile of scores into what softmax_row leaves of it, filled up with zeros as the
/// left factor of a product over the keys.
template <class A, class E>
SoftmaxRow<A> softmax_of_row(const Tile& tile, int64_t r, double scale, A* row, E* probs) {
    const int64_t count = mask_row(tile, r, row);
    std::fill(probs + count, probs + std::max(count, whole_steps<E>(tile.keys)), E{});
    return softmax_row(row, count, static_cast<A>(scale), probs);
}

/// Number of the first pair of query row `first + r` in the dropout stream.
inline uint64_t first_pair(const AttentionOptions& o, const Tile& tile, int64_t r,
                           int64_t seq_len) {
    return static_cast<uint64_t>(((tile.b * o.n_head + tile.h) * seq_len + tile.first + r) *
                                 seq_len);
}

}  // namespace headroom
