#include "core/cpu/parallel.h"
#include "core/ops/attention_tiles.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"
#include "core/ops/softmax_row.h"

// The fast forward kernel: a task for each batch row and query head, tiles of query rows, scores
// of one tile at a time in the workspace of the thread.

namespace headroom {
namespace {

template <class A>
struct ForwardSpace {
    A *scores, *q, *out, *key, *value, *kept;

    ForwardSpace(Scratch& scratch, const AttentionOptions& o, int64_t seq_len, bool narrow)
        : scores(scratch.take<A>(kTileRows * score_stride(seq_len))),
          q(scratch.take<A>(kTileRows * o.d_head)),
          out(scratch.take<A>(kTileRows * o.value_width())),
          key(scratch.take<A>(narrow ? seq_len * o.d_head : 0)),
          value(scratch.take<A>(narrow ? seq_len * o.value_width() : 0)),
          kept(scratch.take<A>(o.dropout > 0 ? seq_len : 0)) {}
};

int64_t bytes_per_thread(const AttentionOptions& o, const TensorType& q) {
    Scratch counter(nullptr);
    if (q.dtype == DType::kF64)
        ForwardSpace<double>(counter, o, q.shape[1], false);
    else
        ForwardSpace<float>(counter, o, q.shape[1], q.dtype == DType::kBF16);
    return counter.bytes();
}

template <class T>
class ForwardTask {
    using A = accumulator_t<T>;

  public:
    ForwardTask(const AttentionOptions& o, const KernelCall& call, int64_t b, int64_t h,
                std::byte* workspace)
        : o_(o),
          call_(call),
          b_(b),
          h_(h),
          seq_len_(call.inputs[0].type.shape[1]),
          scratch_(workspace),
          space_(scratch_, o, seq_len_, !std::is_same_v<T, A>) {}

    void run() {
        const auto g = static_cast<size_t>(o_.kv_head_of(h_));
        key_ = as_sums<T>(rows_of(o_.key_heads[g]), seq_len_, o_.d_head, space_.key);
        const HeadRef value = o_.value_heads[g];
        if (value.input >= 0)
            value_ = as_sums<T>(rows_of(value), seq_len_, o_.value_width(), space_.value);
        for (int64_t first = 0; first < seq_len_; first += kTileRows) {
            const int64_t rows = std::min(kTileRows, seq_len_ - first);
            run_tile({b_, h_, first, rows, o_.causal ? first + rows : seq_len_});
        }
    }

  private:
    HeadRows<const T> rows_of(const HeadRef& ref) const {
        return head_rows<const T>(call_.inputs[static_cast<size_t>(ref.input)], b_, ref.head,
                                  o_.head_width(ref.input));
    }

    void run_tile(const Tile& tile) {
        const int64_t stride = score_stride(seq_len_), d_head = o_.d_head;
        const HeadRows<const T> q = rows_of({0, static_cast<int>(h_)});
        load_scaled<T>({q.row(tile.first), q.stride}, tile.rows, d_head, static_cast<A>(o_.scale),
                       space_.q);
        tile_scores(o_, tile, space_.q, key_, space_.scores, stride);
        A* lse = call_.outputs[1].as<A>() + (b_ * o_.n_head + h_) * seq_len_ + tile.first;
        for (int64_t r = 0; r < tile.rows; ++r) {
            A* row = space_.scores + r * stride;
            store(lse[r], softmax_row(row, tile.keys), call_.accumulate[1] != 0);
            if (o_.dropout > 0) drop(tile, r, row);
        }
        write_out(tile);
    }

    void drop(const Tile& tile, int64_t r, A* row) {
        dropout_factors(dropout_stream(call_.step, o_.stream), o_.dropout,
                        first_pair(o_, tile, r, seq_len_), tile.keys, space_.kept);
#pragma omp simd
        for (int64_t j = 0; j < tile.keys; ++j) row[j] *= space_.kept[j];
    }

    void write_out(const Tile& tile) {
        const int64_t width = o_.value_width();
        const HeadRows<T> all = head_rows<T>(call_.outputs[0], b_, h_, width);
        const HeadRows<T> out{all.row(tile.first), all.stride};
        const bool accumulate = call_.accumulate[0] != 0;
        GemmShape shape{tile.rows,     width, tile.keys, false, false, score_stride(seq_len_),
                        value_.stride, width, false};
        if (value_.data == nullptr) {
            std::fill_n(space_.out, tile.rows * width, A{0});
            store_scaled(space_.out, tile.rows, width, A{1}, accumulate, out);
            return;
        }
        if constexpr (std::is_same_v<T, A>) {
            shape.ldc = out.stride;
            shape.accumulate = accumulate;
            tile_product(shape, space_.scores, value_.data, out.data);
        } else {
            tile_product(shape, space_.scores, value_.data, space_.out);
            store_scaled(space_.out, tile.rows, width, A{1}, accumulate, out);
        }
    }

    const AttentionOptions& o_;
    const KernelCall& call_;
    int64_t b_, h_, seq_len_;
    Scratch scratch_;
    ForwardSpace<A> space_;
    HeadRows<const A> key_, value_;
};

}  // namespace

int64_t Attention::workspace_bytes(std::span<const TensorType> in, int threads) const {
    return threads * bytes_per_thread(options_, in[0]);
}

void Attention::run(const KernelCall& call) const {
    const TensorType& q = call.inputs[0].type;
    const int64_t bytes = bytes_per_thread(options_, q);
    dispatch_float(q.dtype, [&]<class T>(T) {
        parallel_tasks(q.shape[0] * options_.n_head, [&](int64_t task, int thread) {
            ForwardTask<T>(options_, call, task / options_.n_head, task % options_.n_head,
                           call.workspace.data() + thread * bytes)
                .run();
        });
    });
}

}  // namespace headroom
