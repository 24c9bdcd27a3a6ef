#include "core/ops/decode_cache.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {
namespace {

__device__ inline int64_t token_rows(const StepContext& step, int64_t seq_len) {
    return step.rows < 0 ? seq_len : step.rows;
}

/// Rows of the cache's heads: [batch_size, n_head, seq_len].
template <class T>
struct Append {
    const T* x;
    T* cache;
    const StepContext* step;
    int64_t n_head, seq_len, width, columns, capacity;
    Divider by_seq_len, by_n_head;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t head = by_seq_len(row), t = row - head * seq_len;
        const int64_t b = by_n_head(head), h = head - b * n_head, place = step->position + t;
        if (t >= token_rows(*step, seq_len) || place >= capacity) return;
        put(cache + (head * capacity + place) * width + column,
            load_wide<W>(x + (b * seq_len + t) * columns + h * width + column), false);
    }
};

template <class T>
void append(const Call& call, int64_t n_head, int64_t width, int64_t capacity) {
    const T* x = call.inputs[0].as<const T>();
    T* cache = call.outputs[0].as<T>();
    const Shape& shape = call.inputs[0].type.shape;
    const bool whole = shape[2] % kFullPack<T> == 0 && are_aligned(x, cache);
    for_row_packs<T>(call.stream, shape[0] * n_head * shape[1], width, whole,
                     Append<T>{x, cache, call.step, n_head, shape[1], width, shape[2], capacity,
                               Divider(shape[1]), Divider(n_head)});
}

template <class T>
struct LastRowOf {
    const T* x;
    T* y;
    const StepContext* step;
    int64_t seq_len, columns;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t b, int64_t column) const {
        const int64_t row = b * seq_len + token_rows(*step, seq_len) - 1;
        put(y + b * columns + column, load_wide<W>(x + row * columns + column), accumulate);
    }
};

template <class T>
void last_row(const Call& call) {
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const Shape& shape = call.inputs[0].type.shape;
    for_row_packs<T>(call.stream, shape[0], shape[2], are_aligned(x, y),
                     LastRowOf<T>{x, y, call.step, shape[1], shape[2], call.accumulate[0] != 0});
}

}  // namespace

static Kernel cache_append_kernel(const Op& op, Types) {
    const auto& a = dynamic_cast<const CacheAppend&>(op);
    return [n_head = a.n_head(), width = a.width(), capacity = a.capacity()](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { append<T>(call, n_head, width, capacity); });
    };
}

static Kernel last_row_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { last_row<T>(call); });
    };
}

const RegisteredKernel kDecodeCacheKernels[] = {{"cache_append", cache_append_kernel},
                                                {"last_row", last_row_kernel}};

}  // namespace headroom::cuda
