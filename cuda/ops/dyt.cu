#include "core/ops/dyt.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/column_sums.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class T>
void forward(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A *gain = call.inputs[1].as<const A>(), *shift = call.inputs[2].as<const A>();
    const A* alpha = call.inputs[3].as<const A>();
    T* y = call.outputs[0].as<T>();
    const int64_t d = call.inputs[0].columns();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], gain[i % d] * tanh(alpha[0] * static_cast<A>(x[i])) + shift[i % d], accumulate);
    });
}

template <class T>
struct Saved {
    using A = accumulator_t<T>;
    const T* x;
    const A *gain, *alpha;
    const T* dy;
    int64_t d;

    __device__ A bent(int64_t i) const { return tanh(alpha[0] * static_cast<A>(x[i])); }
    /// dz = dy g (1 - t²).
    __device__ A inner(int64_t i) const {
        const A t = bent(i);
        return static_cast<A>(dy[i]) * gain[i % d] * (A(1) - t * t);
    }
};

/// The parameters first: dx may lie over x or dy.
template <class T>
void backward_parameters(const Call& call, const Saved<T>& saved, size_t place) {
    using A = accumulator_t<T>;
    const Saved<T> in = saved;
    const int64_t rows = call.inputs[0].rows(), d = in.d, count = rows * d;
    sum_columns(call.stream, rows, d, call.outputs[place].as<A>(), call.accumulate[place] != 0,
                [=] __device__(int64_t row, int64_t c) {
                    return static_cast<A>(in.dy[row * d + c]) * in.bent(row * d + c);
                });
    sum_columns(call.stream, rows, d, call.outputs[place + 1].as<A>(),
                call.accumulate[place + 1] != 0,
                [=] __device__(int64_t row, int64_t c) {
                    return static_cast<A>(in.dy[row * d + c]);
                });
    sum_columns(call.stream, count, 1, call.outputs[place + 2].as<A>(),
                call.accumulate[place + 2] != 0,
                [=] __device__(int64_t i, int64_t) {
                    return in.inner(i) * static_cast<A>(in.x[i]);
                });
}

template <class T>
void backward(const Call& call, DyTTargets targets) {
    using A = accumulator_t<T>;
    const Saved<T> in{call.inputs[0].as<const T>(), call.inputs[1].as<const A>(),
                      call.inputs[2].as<const A>(), call.inputs[3].as<const T>(),
                      call.inputs[0].columns()};
    if (targets.parameters) backward_parameters<T>(call, in, targets.input ? 1 : 0);
    if (!targets.input) return;
    T* dx = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(),
             [=] __device__(int64_t i) { put(dx[i], in.alpha[0] * in.inner(i), accumulate); });
}

}  // namespace

Kernel dyt_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call); });
    };
}

Kernel dyt_backward_kernel(const Op& op, Types) {
    const DyTTargets targets = dynamic_cast<const DyTBackward&>(op).targets();
    return [targets](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { backward<T>(call, targets); });
    };
}

}  // namespace headroom::cuda
