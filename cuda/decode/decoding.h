#pragma once

#include <cstdint>

#include "core/graph/op.h"
#include "cuda/decode/decode_plan.h"
#include "cuda/decode/segment_table.h"
#include "cuda/primitives/divider.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {

/// A plan as its blocks use it: its numbers are below 2^31, and what blocks divide by is divided by
/// with products.
struct DecodeNumbers {
    explicit DecodeNumbers(const DecodePlan& plan)
        : rows(static_cast<int>(plan.rows)),
          n_kv_head(static_cast<int>(plan.n_kv_head)),
          group(static_cast<int>(plan.group)),
          query_width(static_cast<int>(plan.query_width)),
          out_width(static_cast<int>(plan.out_width)),
          queries(static_cast<int>(plan.queries)),
          positions(static_cast<int>(plan.positions)),
          stripes(static_cast<int>(plan.stripes)),
          dot_parts(static_cast<int>(plan.dot_parts)),
          pieces(static_cast<int>(plan.pieces)),
          tiles(static_cast<int>(plan.tiles())),
          row_stride(static_cast<int>(plan.row_stride())),
          lanes(static_cast<int>(plan.lanes())),
          by_rows(plan.rows),
          by_n_head(plan.n_kv_head * plan.group),
          by_n_kv_head(plan.n_kv_head),
          by_group(plan.group),
          by_tiles(plan.tiles()),
          by_pieces(plan.pieces) {}

    int rows, n_kv_head, group, query_width, out_width;
    int queries, positions, stripes, dot_parts, pieces, tiles, row_stride, lanes;
    Divider by_rows, by_n_head, by_n_kv_head, by_group, by_tiles, by_pieces;
};

/// What there is of the context in this step.
struct SeenContext {
    int position, tokens;
    int length;  ///< of a piece

    /// Positions that row t attends to.
    __device__ int of_row(int t) const { return t < tokens ? position + t + 1 : 0; }
};

/// What all blocks know. Copied into them.
template <class T>
struct Decoding {
    using A = accumulator_t<T>;
    DecodeNumbers plan;
    const SegmentAt *keys, *values;
    const HeadSegments *key_heads, *value_heads;
    const T* q;
    T* out;
    A* parts;         ///< of each row and piece: sums, maximum, total
    const A* lambda;  ///< null: there is none
    A scale;
    bool accumulate, values_are_keys;
    const StepContext* step;

    __device__ SeenContext seen() const {
        const int position = static_cast<int>(step->position);
        const int tokens = step->rows < 0 ? plan.rows : static_cast<int>(step->rows);
        const int even = plan.by_pieces(position + tokens + plan.pieces - 1);
        return {position, tokens, static_cast<int>(whole_steps(even))};
    }
    __device__ A* part(int64_t row, int piece) const {
        return parts + (row * plan.pieces + piece) * (plan.out_width + kMostAndTotal);
    }
};

}  // namespace headroom::cuda
