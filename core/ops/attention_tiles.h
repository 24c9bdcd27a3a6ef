#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/cpu/dropout_mask.h"
#include "core/cpu/gemm.h"
#include "core/cpu/vector_math.h"
#include "core/ops/attention.h"
#include "core/ops/store.h"

// What the forward and the backward kernel of attention share: tiles of kTileRows query rows
// against all keys that they see. Arithmetic is done in A, the accumulator type.

namespace headroom {

inline constexpr int64_t kTileRows = 64;

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

/// to = factor * from, rows packed.
template <class T, class A>
void load_scaled(HeadRows<const T> from, int64_t rows, int64_t width, A factor, A* to) {
    for (int64_t t = 0; t < rows; ++t) {
        const T* x = from.row(t);
        A* y = to + t * width;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) y[c] = factor * static_cast<A>(x[c]);
    }
}

/// Rows as the accumulator type: in place where they are stored so, else a copy in `space`.
template <class T, class A>
HeadRows<const A> as_sums(HeadRows<const T> from, int64_t rows, int64_t width, A* space) {
    if constexpr (std::is_same_v<T, A>) {
        return from;
    } else {
        load_scaled(from, rows, width, A{1}, space);
        return {space, width};
    }
}

/// to = factor * from, or to += it.
template <class T, class A>
void store_scaled(const A* from, int64_t rows, int64_t width, A factor, bool accumulate,
                  HeadRows<T> to) {
    for (int64_t t = 0; t < rows; ++t) {
        const A* x = from + t * width;
        T* y = to.row(t);
        if (accumulate) {
#pragma omp simd
            for (int64_t c = 0; c < width; ++c) y[c] = static_cast<A>(y[c]) + factor * x[c];
        } else {
#pragma omp simd
            for (int64_t c = 0; c < width; ++c) y[c] = factor * x[c];
        }
    }
}

/// GemmLibrary inside a task: one thread. float: oneDNN; double: plain loops over rows.
inline void tile_product(const GemmShape& s, const float* a, const float* b, float* c) {
    gemm(s, a, b, c);
}
inline void tile_product(const GemmShape& s, const double* a, const double* b, double* c) {
    for (int64_t i = 0; i < s.m; ++i) {
        double* row = c + i * s.ldc;
        if (!s.accumulate) std::fill_n(row, s.n, 0.0);
        for (int64_t l = 0; l < s.k; ++l) {
            const double factor = s.a_transposed ? a[l * s.lda + i] : a[i * s.lda + l];
            const int64_t first = s.b_transposed ? l : l * s.ldb;
            const int64_t step = s.b_transposed ? s.ldb : 1;
#pragma omp simd
            for (int64_t j = 0; j < s.n; ++j) row[j] += factor * b[first + j * step];
        }
    }
}

/// One tile of query rows [first, first + rows) of head h in batch row b.
struct Tile {
    int64_t b, h, first, rows;
    int64_t keys;  ///< how many keys its last row sees
};

/// Scores of a tile: q (packed, already scaled) times the keys; pairs above the diagonal -infinity.
template <class A>
void tile_scores(const AttentionOptions& o, const Tile& tile, const A* q, HeadRows<const A> key,
                 A* scores, int64_t stride) {
    tile_product({tile.rows, tile.keys, o.d_head, false, true, o.d_head, key.stride, stride}, q,
                 key.data, scores);
    if (!o.causal) return;
    for (int64_t r = 0; r < tile.rows; ++r)
        std::fill(scores + r * stride + tile.first + r + 1, scores + r * stride + tile.keys,
                  -std::numeric_limits<A>::infinity());
}

/// Number of the first pair of query row `first + r` in the dropout stream.
inline uint64_t first_pair(const AttentionOptions& o, const Tile& tile, int64_t r,
                           int64_t seq_len) {
    return static_cast<uint64_t>(((tile.b * o.n_head + tile.h) * seq_len + tile.first + r) *
                                 seq_len);
}

}  // namespace headroom
