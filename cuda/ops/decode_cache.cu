#include "core/ops/decode_cache.h"

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

int64_t token_rows(const Call& call) {
    return call.step.rows < 0 ? call.inputs[0].type.shape[1] : call.step.rows;
}

template <class T>
void append(const Call& call, int64_t n_head, int64_t width, int64_t capacity) {
    const T* x = call.inputs[0].as<const T>();
    T* cache = call.outputs[0].as<T>();
    const int64_t seq_len = call.inputs[0].type.shape[1], columns = call.inputs[0].columns();
    const int64_t rows = token_rows(call), position = call.step.position;
    CHECK(rows <= seq_len && position + rows <= capacity, "the cache is full");
    const int64_t count = call.inputs[0].type.shape[0] * n_head * rows * width;
    for_each(call.stream, count, [=] __device__(int64_t i) {
        const int64_t c = i % width, t = i / width % rows, head = i / width / rows;
        const int64_t b = head / n_head, h = head % n_head;
        cache[(head * capacity + position + t) * width + c] =
            x[(b * seq_len + t) * columns + h * width + c];
    });
}

template <class T>
void last_row(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const int64_t seq_len = call.inputs[0].type.shape[1], width = call.inputs[0].columns();
    const int64_t last = token_rows(call) - 1;
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.outputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], static_cast<A>(x[(i / width * seq_len + last) * width + i % width]), accumulate);
    });
}

}  // namespace

Kernel cache_append_kernel(const Op& op) {
    const auto& a = dynamic_cast<const CacheAppend&>(op);
    return [n_head = a.n_head(), width = a.width(), capacity = a.capacity()](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { append<T>(call, n_head, width, capacity); });
    };
}

Kernel last_row_kernel(const Op&) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { last_row<T>(call); });
    };
}

}  // namespace headroom::cuda
