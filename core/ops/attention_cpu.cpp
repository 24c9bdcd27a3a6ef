#include <cmath>

#include "core/cpu/parallel.h"
#include "core/ops/attention_tiles.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"

// The fast forward kernel: a task for each batch row and query head, which takes one group of query
// rows after the other, so that their scores stay in the first-level cache.

namespace headroom {
namespace {

template <class T>
struct ForwardSpace {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    static constexpr int64_t kRows = kProductRows<E>;

    A *scores, *out, *kept;
    E *probs, *q, *key, *value, *block;

    ForwardSpace(Scratch& scratch, const AttentionOptions& o, const AttentionSizes<T>& sizes)
        : scores(scratch.take<A>(kRows * sizes.stride)),
          out(scratch.take<A>(kRows * sizes.d_value)),
          kept(scratch.take<A>(o.dropout > 0 ? sizes.seq_len : 0)),
          probs(scratch.take<E>(kRows * sizes.stride)),
          q(scratch.take<E>(kRows * sizes.q_width)),
          key(scratch.take<E>(sizes.transposed(o.d_head))),
          value(scratch.take<E>(sizes.interleaved(sizes.d_value))),
          block(scratch.take<E>(sizes.block(o.d_head))) {}
};

template <class T>
int64_t bytes_per_thread(const AttentionOptions& o, int64_t seq_len) {
    Scratch counter(nullptr);
    ForwardSpace<T>(counter, o, AttentionSizes<T>(o, seq_len));
    return counter.bytes();
}

template <class T>
class ForwardTask {
    using A = accumulator_t<T>;
    using E = factor_t<T>;
    static constexpr int64_t kRows = kProductRows<E>;

  public:
    ForwardTask(const AttentionOptions& o, const KernelCall& call, int64_t b, int64_t h,
                std::byte* workspace)
        : o_(o),
          call_(call),
          b_(b),
          h_(h),
          sizes_(o, call.inputs[0].type.shape[1]),
          scratch_(workspace),
          space_(scratch_, o, sizes_) {}

    void run() {
        const KeptAmxTiles kept;
        const auto g = static_cast<size_t>(o_.kv_head_of(h_));
        interleave_transposed(rows_of(o_.key_heads[g]), sizes_.seq_len, o_.d_head, space_.key,
                              sizes_.stride, space_.block);
        has_value_ = o_.value_heads[g].input >= 0;
        if (has_value_)
            interleave_rows(rows_of(o_.value_heads[g]), sizes_.seq_len, o_.value_width(),
                            space_.value, sizes_.d_value);
        for (int64_t first = 0; first < sizes_.seq_len; first += kRows) {
            const int64_t rows = std::min(kRows, sizes_.seq_len - first);
            run_group(
                {b_, h_, first, rows, o_.causal ? first + rows : sizes_.seq_len, o_.causal, kRows});
        }
    }

  private:
    HeadRows<const T> rows_of(const HeadRef& ref) const {
        return head_rows<const T>(call_.inputs[static_cast<size_t>(ref.input)], b_, ref.head,
                                  o_.head_width(ref.input));
    }

    void run_group(const Tile& group) {
        const HeadRows<const T> q = rows_of({0, static_cast<int>(h_)});
        tile_product<E>(group.rows,
                        left_factor<E>(HeadRows<const T>{q.row(group.first), q.stride}, group.rows,
                                       o_.d_head, space_.q, sizes_.q_width),
                        {space_.key, sizes_.stride}, space_.scores, sizes_.stride, false,
                        group.of_keys(o_.d_head));
        A* lse = call_.outputs[1].as<A>() + (b_ * o_.n_head + h_) * sizes_.seq_len + group.first;
        A factors[kRows];
        for (int64_t r = 0; r < group.rows; ++r) {
            A* row = space_.scores + r * sizes_.stride;
            E* probs = space_.probs + r * sizes_.stride;
            const SoftmaxRow<A> softmax = softmax_of_row(group, r, o_.scale, row, probs);
            factors[r] = A{1} / softmax.sum;
            store(lse[r], softmax.most + std::log(softmax.sum), call_.accumulate[1] != 0);
            if (o_.dropout > 0) drop(group, r, probs);
        }
        write_out(group, factors);
    }

    void drop(const Tile& group, int64_t r, E* probs) {
        dropout_factors(dropout_stream(call_.step, o_.stream), o_.dropout,
                        first_pair(o_, group, r, sizes_.seq_len), group.keys, space_.kept);
#pragma omp simd
        for (int64_t j = 0; j < group.keys; ++j)
            probs[j] = static_cast<A>(probs[j]) * space_.kept[j];
    }

    /// Rows of probabilities times `factors`, which make their sums 1, times the values.
    void write_out(const Tile& group, const A* factors) {
        const int64_t width = o_.value_width();
        const HeadRows<T> out = head_rows<T>(call_.outputs[0], b_, h_, width);
        if (has_value_)
            tile_product<E>(group.rows, RowFactor<E>{space_.probs, sizes_.stride},
                            {space_.value, sizes_.d_value}, space_.out, sizes_.d_value, false,
                            group.over_keys(width));
        else
            std::fill_n(space_.out, group.rows * sizes_.d_value, A{0});
        for (int64_t r = 0; r < group.rows; ++r)
            store_scaled<T>(space_.out + r * sizes_.d_value, sizes_.d_value, 1, width, factors[r],
                            call_.accumulate[0] != 0, {out.row(group.first + r), out.stride});
    }

    const AttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_, h_;
    AttentionSizes<T> sizes_;
    Scratch scratch_;
    ForwardSpace<T> space_;
    bool has_value_ = false;
};

}  // namespace

int64_t Attention::workspace_bytes(std::span<const TensorType> in, int threads) const {
    int64_t bytes = 0;
    dispatch_float(in[0].dtype, [&]<class T>(T) {
        bytes = threads * bytes_per_thread<T>(options_, in[0].shape[1]);
    });
    return bytes;
}

void Attention::run(const KernelCall& call) const {
    const TensorType& q = call.inputs[0].type;
    dispatch_float(q.dtype, [&]<class T>(T) {
        const int64_t bytes = bytes_per_thread<T>(options_, q.shape[1]);
        parallel_tasks(q.shape[0] * options_.n_head, [&](int64_t task, int thread) {
            ForwardTask<T>(options_, call, task / options_.n_head, task % options_.n_head,
                           call.workspace.data() + thread * bytes)
                .run();
        });
    });
}

}  // namespace headroom
