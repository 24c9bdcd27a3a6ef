#include <cmath>

#include "core/cpu/parallel.h"
#include "core/ops/attention_schedule.h"
#include "core/ops/attention_tiles.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"

// The fast backward kernel: a task for each batch row and set of heads with common gradients (see
// attention_schedule.h). The gradients of a key and a value head are summed in the workspace over
// all tiles of all their query heads, then written once.

namespace headroom {
namespace {

template <class A>
struct BackwardSpace {
    A *probs, *dprobs, *dropped, *q, *dq, *dkey, *dvalue, *key, *value, *dout;

    BackwardSpace(Scratch& scratch, const AttentionOptions& o, int64_t seq_len, bool narrow)
        : probs(scratch.take<A>(kTileRows * score_stride(seq_len))),
          dprobs(scratch.take<A>(kTileRows * score_stride(seq_len))),
          dropped(scratch.take<A>(o.dropout > 0 ? kTileRows * score_stride(seq_len) : 0)),
          q(scratch.take<A>(kTileRows * o.d_head)),
          dq(scratch.take<A>(kTileRows * o.d_head)),
          dkey(scratch.take<A>(seq_len * o.d_head)),
          dvalue(scratch.take<A>(seq_len * o.value_width())),
          key(scratch.take<A>(narrow ? seq_len * o.d_head : 0)),
          value(scratch.take<A>(narrow ? seq_len * o.value_width() : 0)),
          dout(scratch.take<A>(narrow ? kTileRows * o.value_width() : 0)) {}
};

int64_t bytes_per_thread(const AttentionOptions& o, const TensorType& q) {
    Scratch counter(nullptr);
    if (q.dtype == DType::kF64)
        BackwardSpace<double>(counter, o, q.shape[1], false);
    else
        BackwardSpace<float>(counter, o, q.shape[1], q.dtype == DType::kBF16);
    return counter.bytes();
}

/// Not inlined: inside the task GCC 12 leaves the reduction scalar.
template <class T, class A>
[[gnu::noinline]] A dot_product(const A* x, const T* y, int64_t count) {
    A sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < count; ++c) sum += x[c] * static_cast<A>(y[c]);
    return sum;
}

template <class T>
class BackwardTask {
    using A = accumulator_t<T>;
    using Target = AttentionSchedule::Target;

  public:
    BackwardTask(const AttentionOptions& o, const KernelCall& call, int64_t b, std::byte* workspace)
        : o_(o),
          call_(call),
          b_(b),
          seq_len_(call.inputs[0].type.shape[1]),
          stride_(score_stride(seq_len_)),
          out_(call.inputs[call.inputs.size() - 3]),
          lse_(call.inputs[call.inputs.size() - 2]),
          dout_(call.inputs[call.inputs.size() - 1]),
          scratch_(workspace),
          space_(scratch_, o, seq_len_, !std::is_same_v<T, A>) {}

    void run(const AttentionSchedule::KvHead& head) {
        const HeadRef value = o_.value_heads[static_cast<size_t>(head.g)];
        key_ = as_sums<T>(rows_of(o_.key_heads[static_cast<size_t>(head.g)]), seq_len_, o_.d_head,
                          space_.key);
        value_ = {};
        if (value.input >= 0)
            value_ = as_sums<T>(rows_of(value), seq_len_, o_.value_width(), space_.value);
        const int64_t group = o_.n_head / o_.n_kv_head;
        for (int64_t n = 0; n < group; ++n) run_query_head(head, head.g * group + n, n == 0);
        write(head.value, space_.dvalue, o_.value_width());
        write(head.key, space_.dkey, o_.d_head);
    }

  private:
    HeadRows<const T> rows_of(const HeadRef& ref) const {
        return head_rows<const T>(call_.inputs[static_cast<size_t>(ref.input)], b_, ref.head,
                                  o_.head_width(ref.input));
    }

    /// Last tile first: it sees all keys, so that its products overwrite the sums of all rows.
    void run_query_head(const AttentionSchedule::KvHead& head, int64_t h, bool first_query) {
        const Target& dq = head.queries[static_cast<size_t>(h % (o_.n_head / o_.n_kv_head))];
        const int64_t tiles = (seq_len_ + kTileRows - 1) / kTileRows;
        for (int64_t n = tiles - 1; n >= 0; --n) {
            const int64_t first = n * kTileRows, rows = std::min(kTileRows, seq_len_ - first);
            const Tile tile{b_, h, first, rows, o_.causal ? first + rows : seq_len_};
            const bool add = !(first_query && n == tiles - 1);
            load_scaled<T>(rows_at(call_.inputs[0], tile, o_.d_head), rows, o_.d_head,
                           static_cast<A>(o_.scale), space_.q);
            if (value_.data == nullptr) {
                zero(tile, add);
            } else {
                score_gradients(tile, add, head);
                key_gradient(tile, add, head);
                query_gradient(tile);
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
        std::fill_n(space_.dq, tile.rows * o_.d_head, A{0});
        if (!add) std::fill_n(space_.dkey, seq_len_ * o_.d_head, A{0});
    }

    /// probs := P; dvalue += D(P)^T dout; dprobs := dS / scale.
    void score_gradients(const Tile& tile, bool add, const AttentionSchedule::KvHead& head) {
        const int64_t width = o_.value_width();
        const HeadRows<const T> out = rows_at(out_, tile, width);
        const HeadRows<const A> dout =
            as_sums<T>(rows_at(dout_, tile, width), tile.rows, width, space_.dout);
        tile_scores(o_, tile, space_.q, key_, space_.probs, stride_);
        tile_product(
            {tile.rows, tile.keys, width, false, true, dout.stride, value_.stride, stride_},
            dout.data, value_.data, space_.dprobs);
        const A* lse = lse_.as<const A>() + (b_ * o_.n_head + tile.h) * seq_len_ + tile.first;
        for (int64_t r = 0; r < tile.rows; ++r) {
            const A dot = dot_product(dout.row(r), out.row(r), width);
            if (o_.dropout > 0)
                dropped_row(tile, r, lse[r], dot);
            else
                row(tile, r, lse[r], dot);
        }
        if (head.value.output < 0) return;
        const A* weights = o_.dropout > 0 ? space_.dropped : space_.probs;
        tile_product({tile.keys, width, tile.rows, true, false, stride_, dout.stride, width, add},
                     weights, dout.data, space_.dvalue);
    }

    void row(const Tile& tile, int64_t r, A lse, A dot) {
        A *p = space_.probs + r * stride_, *ds = space_.dprobs + r * stride_;
        const int64_t keys = tile.keys;
#pragma omp simd
        for (int64_t j = 0; j < keys; ++j) {
            p[j] = vmath::exp(p[j] - lse);
            ds[j] = p[j] * (ds[j] - dot);
        }
    }

    void dropped_row(const Tile& tile, int64_t r, A lse, A dot) {
        A *p = space_.probs + r * stride_, *ds = space_.dprobs + r * stride_;
        A* dropped = space_.dropped + r * stride_;
        dropout_factors(dropout_stream(call_.step, o_.stream), o_.dropout,
                        first_pair(o_, tile, r, seq_len_), tile.keys, dropped);
#pragma omp simd
        for (int64_t j = 0; j < tile.keys; ++j) {
            const A prob = vmath::exp(p[j] - lse);
            dropped[j] *= prob;
            ds[j] = dropped[j] * ds[j] - prob * dot;
        }
    }

    /// dkey += dS^T q, with the scale in the packed q.
    void key_gradient(const Tile& tile, bool add, const AttentionSchedule::KvHead& head) {
        if (head.key.output < 0) return;
        tile_product(
            {tile.keys, o_.d_head, tile.rows, true, false, stride_, o_.d_head, o_.d_head, add},
            space_.dprobs, space_.q, space_.dkey);
    }

    void query_gradient(const Tile& tile) {
        tile_product(
            {tile.rows, o_.d_head, tile.keys, false, false, stride_, key_.stride, o_.d_head, false},
            space_.dprobs, key_.data, space_.dq);
    }

    void write_query(const Tile& tile, const Target& target) {
        if (target.output < 0) return;
        const auto output = static_cast<size_t>(target.output);
        const HeadRows<T> all = head_rows<T>(call_.outputs[output], b_, tile.h, o_.d_head);
        const bool add = !target.first || call_.accumulate[output] != 0;
        store_scaled<T>(space_.dq, tile.rows, o_.d_head, static_cast<A>(o_.scale), add,
                        {all.row(tile.first), all.stride});
    }

    void write(const Target& target, const A* sums, int64_t width) {
        if (target.output < 0) return;
        const auto output = static_cast<size_t>(target.output);
        const bool add = !target.first || call_.accumulate[output] != 0;
        store_scaled<T>(sums, seq_len_, width, A{1}, add,
                        head_rows<T>(call_.outputs[output], b_, target.head, width));
    }

    const AttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_, seq_len_, stride_;
    const Tensor &out_, &lse_, &dout_;
    Scratch scratch_;
    BackwardSpace<A> space_;
    HeadRows<const A> key_, value_;
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
    return threads * bytes_per_thread(options_, in[0]);
}

void AttentionBackward::run(const KernelCall& call) const {
    const TensorType& q = call.inputs[0].type;
    const int64_t bytes = bytes_per_thread(options_, q);
    const auto tasks = static_cast<int64_t>(schedule_->tasks.size());
    dispatch_float(q.dtype, [&]<class T>(T) {
        clear_unread<T>(call, *schedule_, options_, targets_);
        parallel_tasks(q.shape[0] * tasks, [&](int64_t task, int thread) {
            BackwardTask<T> backward(options_, call, task / tasks,
                                     call.workspace.data() + thread * bytes);
            for (const AttentionSchedule::KvHead& head :
                 schedule_->tasks[static_cast<size_t>(task % tasks)])
                backward.run(head);
        });
    });
}

}  // namespace headroom
