#pragma once

#include "cuda/decode/decoding.h"

namespace headroom::cuda {

/// Which part of the work is a block's: a piece of the context of one sequence, and a tile of the
/// queries of one key/value head.
template <class T>
class BlockPlace {
    using A = accumulator_t<T>;

  public:
    __device__ BlockPlace(const Decoding<T>& d, int block) : d_(d), context_(d.seen()) {
        const int tile = d.plan.by_pieces(block), unit = d.plan.by_tiles(tile);
        piece_ = block - tile * d.plan.pieces;
        first_query_ = (tile - unit * d.plan.tiles) * d.plan.queries;
        b_ = d.plan.by_n_kv_head(unit);
        g_ = unit - b_ * d.plan.n_kv_head;
    }

    __device__ int sequence() const { return b_; }
    __device__ int kv_head() const { return g_; }

    __device__ int piece() const { return piece_; }

    /// Positions [begin, end) of the context.
    __device__ int begin() const { return piece_ * context_.length; }
    __device__ int end() const {
        const int after = begin() + context_.length, last = most_seen(0, d_.plan.queries);
        return after < last ? after : last;
    }
    /// A first piece always answers: with zeros for rows that hold no token.
    __device__ bool is_idle() const { return begin() >= end() && piece_ > 0; }

    /// How many positions query n of the tile attends to.
    __device__ int seen(int n) const { return context_.of_row(row_of(n)); }
    __device__ bool exists(int n) const { return first_query_ + n < d_.plan.rows * d_.plan.group; }
    /// How many positions one of the queries [first, end) of the tile attends to at most.
    __device__ int most_seen(int first, int end) const {
        int row = row_of(end - 1);
        if (row >= context_.tokens) row = context_.tokens - 1;
        return row < row_of(first) ? 0 : context_.of_row(row);
    }
    /// Query n among the rows of all heads: rows of queries and outputs have one head each.
    __device__ int64_t head_row(int n) const {
        const int row = row_of(n), head = first_query_ + n - row * d_.plan.group;
        return ((b_ * d_.plan.rows + row) * d_.plan.n_kv_head + g_) * d_.plan.group + head;
    }

    /// Column c of query n, scaled; 0 where there is none.
    __device__ A query(int n, int c) const {
        const bool real = exists(n) && c < d_.plan.query_width;
        return real ? d_.scale * static_cast<A>(d_.q[head_row(n) * d_.plan.query_width + c]) : A(0);
    }
    /// Column c of what query n gets: `sum` and `total` are relative to e^most.
    __device__ void put_out(int n, int c, A sum, A most, A total) const {
        const int width = d_.plan.out_width;
        const int64_t row = head_row(n);
        if (d_.plan.pieces > 1) {
            A* part = d_.part(row, piece_);
            part[c] = sum;
            if (c == 0) part[width] = most, part[width + 1] = total;
        } else {
            put(d_.out[row * width + c], seen(n) > 0 ? sum / total : A(0), d_.accumulate);
        }
    }

  private:
    __device__ int row_of(int n) const { return d_.plan.by_group(first_query_ + n); }

    const Decoding<T>& d_;
    const SeenContext context_;
    int piece_, first_query_, b_, g_;
};

}  // namespace headroom::cuda
