#include "core/ops/decode_cache.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

__device__ inline int64_t token_rows(const StepContext& step, int64_t seq_len) {
    return step.rows < 0 ? seq_len : step.rows;
}

template <class T>
void append(const Call& call, int64_t n_head, int64_t width, int64_t capacity) {
    const T* x = call.inputs[0].as<const T>();
    T* cache = call.outputs[0].as<T>();
    const int64_t seq_len = call.inputs[0].type.shape[1], columns = call.inputs[0].columns();
    const StepContext* step = call.step;
    const int64_t count = call.inputs[0].type.shape[0] * n_head * seq_len * width;
    for_each(call.stream, count, [=] __device__(int64_t i) {
        const int64_t c = i % width, t = i / width % seq_len, head = i / width / seq_len;
        const int64_t b = head / n_head, h = head % n_head, place = step->position + t;
        if (t >= token_rows(*step, seq_len) || place >= capacity) return;
        cache[(head * capacity + place) * width + c] =
            x[(b * seq_len + t) * columns + h * width + c];
    });
}

template <class T>
void last_row(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const int64_t seq_len = call.inputs[0].type.shape[1], width = call.inputs[0].columns();
    const StepContext* step = call.step;
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.outputs[0].count(), [=] __device__(int64_t i) {
        const int64_t last = token_rows(*step, seq_len) - 1;
        put(y[i], static_cast<A>(x[(i / width * seq_len + last) * width + i % width]), accumulate);
    });
}

}  // namespace

Kernel cache_append_kernel(const Op& op, Types) {
    const auto& a = dynamic_cast<const CacheAppend&>(op);
    return [n_head = a.n_head(), width = a.width(), capacity = a.capacity()](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { append<T>(call, n_head, width, capacity); });
    };
}

Kernel last_row_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { last_row<T>(call); });
    };
}

}  // namespace headroom::cuda
