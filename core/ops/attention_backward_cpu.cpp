#include <cmath>

#include "core/cpu/parallel.h"
#include "core/ops/attention_gradients.h"
#include "core/ops/attention_schedule.h"
#include "core/ops/attention_tiles.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"

// The fast backward kernel: a task for each batch row and set of heads with common gradients (see
// attention_schedule.h). The gradients of a key and a value head are summed in the workspace over
// all tiles of all their query heads, then written once. Scores and dP are products of what is
// stored; in those of P and dS neither is rounded to bfloat16 (attention_gradients.h).

namespace headroom {
namespace {

template <class T>
struct BackwardSpace {
    using A = accumulator_t<T>;
    using E = factor_t<T>;

    A *probs, *dprobs, *dropped, *dq;
    E *q_rows, *dout_rows, *key_columns, *value_columns, *block;  ///< factors of the scores and dP

    BackwardSpace(Scratch& scratch, const AttentionOptions& o, const AttentionSizes<T>& sizes) {
        const int64_t scores = kTileRows * sizes.stride;
        probs = scratch.take<A>(scores);
        dprobs = scratch.take<A>(scores);
        dropped = scratch.take<A>(o.dropout > 0 ? scores : 0);
        dq = scratch.take<A>(kTileRows * sizes.d_head);
        q_rows = scratch.take<E>(kTileRows * sizes.q_width);
        dout_rows = scratch.take<E>(kTileRows * sizes.dout_width);
        key_columns = scratch.take<E>(sizes.transposed(o.d_head));
        value_columns = scratch.take<E>(sizes.transposed(o.value_width()));
        block = scratch.take<E>(sizes.block(std::max(o.d_head, o.value_width())));
    }
};

template <class T>
int64_t bytes_per_thread(const AttentionOptions& o, int64_t seq_len) {
    Scratch counter(nullptr);
    const AttentionSizes<T> sizes(o, seq_len);
    BackwardSpace<T>(counter, o, sizes);
    with_gradients<T>([&]<class Gradients>() { Gradients(counter, o, sizes); });
    return counter.bytes();
}

template <class A, class T>
A dot_product(const T* x, const T* y, int64_t count) {
    Vector<A> lanes = {};
    int64_t c = 0;
    for (; c + kLanes<A> <= count; c += kLanes<A>) lanes += load_vector(x + c) * load_vector(y + c);
    A sum = sum_of_lanes<A>(lanes);
    for (; c < count; ++c) sum += static_cast<A>(x[c]) * static_cast<A>(y[c]);
    return sum;
}

template <class T, class Gradients>
class BackwardTask {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    using Target = AttentionSchedule::Target;

  public:
    BackwardTask(const AttentionOptions& o, const KernelCall& call, int64_t b, std::byte* workspace)
        : o_(o),
          call_(call),
          b_(b),
          sizes_(o, call.inputs[0].type.shape[1]),
          out_(call.inputs[call.inputs.size() - 3]),
          lse_(call.inputs[call.inputs.size() - 2]),
          dout_(call.inputs[call.inputs.size() - 1]),
          scratch_(workspace),
          space_(scratch_, o, sizes_),
          gradients_(scratch_, o, sizes_),
          made_{space_.probs, space_.dprobs} {}

    void run(const AttentionSchedule::KvHead& head) {
        const KeptAmxTiles kept;
        load_head(head.g);
        const int64_t group = o_.n_head / o_.n_kv_head;
        for (int64_t n = 0; n < group; ++n) run_query_head(head, head.g * group + n, n == 0);
        if (const Target& to = head.value; to.output >= 0)
            gradients_.write_value(adds(to), rows_of(to, o_.value_width()));
        if (const Target& to = head.key; to.output >= 0)
            gradients_.write_key(static_cast<A>(o_.scale), adds(to), rows_of(to, o_.d_head));
    }

  private:
    HeadRows<const T> rows_of(const HeadRef& ref) const {
        return head_rows<const T>(call_.inputs[static_cast<size_t>(ref.input)], b_, ref.head,
                                  o_.head_width(ref.input));
    }

    void load_head(int g) {
        const HeadRef value = o_.value_heads[static_cast<size_t>(g)];
        has_value_ = value.input >= 0;
        if (!has_value_) return;
        const HeadRows<const T> key = rows_of(o_.key_heads[static_cast<size_t>(g)]);
        gradients_.load_key(key);
        interleave_transposed(key, sizes_.seq_len, o_.d_head, space_.key_columns, sizes_.stride,
                              space_.block);
        interleave_transposed(rows_of(value), sizes_.seq_len, o_.value_width(),
                              space_.value_columns, sizes_.stride, space_.block);
    }

    /// Last tile first: it sees all keys, so that its products overwrite the sums of all rows.
    void run_query_head(const AttentionSchedule::KvHead& head, int64_t h, bool first_query) {
        const Target& dq = head.queries[static_cast<size_t>(h % (o_.n_head / o_.n_kv_head))];
        const int64_t tiles = (sizes_.seq_len + kTileRows - 1) / kTileRows;
        for (int64_t n = tiles - 1; n >= 0; --n) {
            const int64_t first = n * kTileRows, rows = std::min(kTileRows, sizes_.seq_len - first);
            const Tile tile{b_,
                            h,
                            first,
                            rows,
                            o_.causal ? first + rows : sizes_.seq_len,
                            o_.causal,
                            kProductRows<E>};
            const bool add = !(first_query && n == tiles - 1);
            if (!has_value_) {
                zero(tile, add);
            } else {
                load_tile(tile);
                score_gradients(tile);
                if (head.value.output >= 0) gradients_.add_value(tile, made_, add);
                if (head.key.output >= 0) gradients_.add_key(tile, made_, add);
                gradients_.query(tile, made_, space_.dq);
            }
            write_query(tile, dq);
        }
    }

    HeadRows<const T> rows_at(const Tensor& tensor, const Tile& tile, int64_t width) const {
        const HeadRows<const T> all = head_rows<const T>(tensor, b_, tile.h, width);
        return {all.row(tile.first), all.stride};
    }

    /// A value that is zero has an output that does not depend on anything.
    void zero(const Tile& tile, bool add) {
        std::fill_n(space_.dq, tile.rows * sizes_.d_head, A{0});
        if (!add) gradients_.clear_key();
    }

    void load_tile(const Tile& tile) {
        const int64_t width = o_.value_width();
        const HeadRows<const T> q = rows_at(call_.inputs[0], tile, o_.d_head);
        const HeadRows<const T> dout = rows_at(dout_, tile, width);
        q_ = left_factor<E>(q, tile.rows, o_.d_head, space_.q_rows, sizes_.q_width);
        dout_rows_ = left_factor<E>(dout, tile.rows, width, space_.dout_rows, sizes_.dout_width);
        gradients_.load_tile(tile, q, dout);
    }

    /// probs := P, or what stands in its place for the values, D(P); dprobs := dS / scale. One
    /// group of rows after the other, so that what is multiplied for it is still in the first-level
    /// cache.
    void score_gradients(const Tile& tile) {
        const int64_t width = o_.value_width(), stride = sizes_.stride;
        const A* lse = lse_.as<const A>() + (b_ * o_.n_head + tile.h) * sizes_.seq_len + tile.first;
        const HeadRows<const T> out = rows_at(out_, tile, width);
        const HeadRows<const T> dout = rows_at(dout_, tile, width);
        for (int64_t first = 0; first < tile.rows; first += kProductRows<E>) {
            const int64_t rows = std::min(kProductRows<E>, tile.rows - first),
                          keys = tile.seen(first);
            const auto of_keys = [keys](int64_t depth) {
                return [=](int64_t) { return ProductReach{keys, 0, depth}; };
            };
            tile_product<E>(rows, q_.from(first), {space_.key_columns, stride},
                            space_.probs + first * stride, stride, false, of_keys(o_.d_head));
            tile_product<E>(rows, dout_rows_.from(first), {space_.value_columns, stride},
                            space_.dprobs + first * stride, stride, false, of_keys(width));
            for (int64_t r = first; r < first + rows; ++r) {
                const A dot = dot_product<A>(dout.row(r), out.row(r), width);
                const int64_t count = mask_row(tile, r, space_.probs + r * stride);
                if (o_.dropout > 0)
                    dropped_row(tile, r, lse[r], dot);
                else
                    row(r, count, lse[r], dot);
            }
            gradients_.take_rows(tile, made_, first, rows);
        }
    }

    void row(int64_t r, int64_t count, A lse, A dot) {
        A *p = space_.probs + r * sizes_.stride, *ds = space_.dprobs + r * sizes_.stride;
        const A scale = static_cast<A>(o_.scale);
#pragma omp simd
        for (int64_t j = 0; j < count; ++j) {
            p[j] = vmath::exp(scale * p[j] - lse);
            ds[j] = p[j] * (ds[j] - dot);
        }
    }

    void dropped_row(const Tile& tile, int64_t r, A lse, A dot) {
        A *p = space_.probs + r * sizes_.stride, *ds = space_.dprobs + r * sizes_.stride;
        A* dropped = space_.dropped + r * sizes_.stride;
        const int64_t keys = tile.seen(r);
        const A scale = static_cast<A>(o_.scale);
        dropout_factors(dropout_stream(call_.step, o_.stream), o_.dropout,
                        first_pair(o_, tile, r, sizes_.seq_len), keys, dropped);
#pragma omp simd
        for (int64_t j = 0; j < keys; ++j) {
            const A prob = vmath::exp(scale * p[j] - lse);
            p[j] = dropped[j] * prob;
            ds[j] = p[j] * ds[j] - prob * dot;
        }
    }

    /// Whether a gradient is added to what lies there.
    bool adds(const Target& to) const {
        return !to.first || call_.accumulate[static_cast<size_t>(to.output)] != 0;
    }
    HeadRows<T> rows_of(const Target& to, int64_t d_head) const {
        return head_rows<T>(call_.outputs[static_cast<size_t>(to.output)], b_, to.head, d_head);
    }

    void write_query(const Tile& tile, const Target& to) {
        if (to.output < 0) return;
        const auto output = static_cast<size_t>(to.output);
        const HeadRows<T> all = head_rows<T>(call_.outputs[output], b_, tile.h, o_.d_head);
        store_scaled<T>(space_.dq, sizes_.d_head, tile.rows, o_.d_head, static_cast<A>(o_.scale),
                        adds(to), {all.row(tile.first), all.stride});
    }

    const AttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_;
    AttentionSizes<T> sizes_;
    const Tensor &out_, &lse_, &dout_;
    Scratch scratch_;
    BackwardSpace<T> space_;
    Gradients gradients_;
    ScoreGradients<A> made_;
    RowFactor<E> q_, dout_rows_;  ///< of the tile
    bool has_value_ = false;
};

/// Heads that nobody reads have a gradient of zero.
template <class T>
void clear_unread(const KernelCall& call, const AttentionSchedule& schedule,
                  const AttentionOptions& o, const std::vector<size_t>& targets) {
    for (size_t n = 0; n < call.outputs.size(); ++n) {
        const Tensor& output = call.outputs[n];
        if (call.accumulate[n] != 0) continue;
        const int64_t d_head = o.head_width(static_cast<int>(targets[n]));
        for (int64_t head = 0; head < output.columns() / d_head; ++head) {
            if (schedule.writes(static_cast<int>(n), static_cast<int>(head))) continue;
            for (int64_t row = 0; row < output.rows(); ++row)
                std::fill_n(output.as<T>() + row * output.columns() + head * d_head, d_head, T{});
        }
    }
}

}  // namespace

int64_t AttentionBackward::workspace_bytes(std::span<const TensorType> in, int threads) const {
    int64_t bytes = 0;
    dispatch_float(in[0].dtype, [&]<class T>(T) {
        bytes = threads * bytes_per_thread<T>(options_, in[0].shape[1]);
    });
    return bytes;
}

void AttentionBackward::run(const KernelCall& call) const {
    const TensorType& q = call.inputs[0].type;
    const auto tasks = static_cast<int64_t>(schedule_->tasks.size());
    dispatch_float(q.dtype, [&]<class T>(T) {
        const int64_t bytes = bytes_per_thread<T>(options_, q.shape[1]);
        clear_unread<T>(call, *schedule_, options_, targets_);
        with_gradients<T>([&]<class Gradients>() {
            parallel_tasks(q.shape[0] * tasks, [&](int64_t task, int thread) {
                BackwardTask<T, Gradients> backward(options_, call, task / tasks,
                                                    call.workspace.data() + thread * bytes);
                for (const AttentionSchedule::KvHead& head :
                     schedule_->tasks[static_cast<size_t>(task % tasks)])
                    backward.run(head);
            });
        });
    });
}

}  // namespace headroom
