#include "core/ops/bias.h"

#include "core/ops/dispatch.h"
#include "cuda/column_sums.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class T>
void add_bias(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A* b = call.inputs[1].as<const A>();
    T* y = call.outputs[0].as<T>();
    const int64_t width = call.inputs[0].columns();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], static_cast<A>(x[i]) + b[i % width], accumulate);
    });
}

template <class T>
void add_bias_backward(const Call& call) {
    using A = accumulator_t<T>;
    const T* dy = call.inputs[0].as<const T>();
    const int64_t width = call.inputs[0].columns();
    sum_columns(call.stream, call.inputs[0].rows(), width, call.outputs[0].as<A>(),
                call.accumulate[0] != 0, [=] __device__(int64_t row, int64_t column) {
                    return static_cast<A>(dy[row * width + column]);
                });
}

}  // namespace

Kernel add_bias_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add_bias<T>(call); });
    };
}

Kernel add_bias_backward_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add_bias_backward<T>(call); });
    };
}

}  // namespace headroom::cuda
