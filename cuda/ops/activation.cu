#include "core/ops/activation.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

template <class A>
struct Activated {
    A value, slope;
};

template <class A>
__device__ Activated<A> activate(ActivationKind kind, A x) {
    switch (kind) {
        case ActivationKind::kGelu: {
            // Φ(x) + x φ(x), Φ and φ the normal distribution and its density.
            const A cdf = A(0.5) * erfc(-x * A(0.70710678118654752440));
            const A density = A(0.39894228040143267794) * exp(A(-0.5) * x * x);
            return {x * cdf, cdf + x * density};
        }
        case ActivationKind::kGeluTanh: {
            const A slope = A(1.59576912160573071176), cubic = A(0.044715);  // 2 √(2/π)
            const A s = A(1) / (A(1) + exp(-slope * (x + cubic * x * x * x)));
            return {x * s, s + x * s * (A(1) - s) * slope * (A(1) + A(3) * cubic * x * x)};
        }
        case ActivationKind::kRelu:
            return {x > A(0) ? x : A(0), x > A(0) ? A(1) : A(0)};
        case ActivationKind::kRelu2: {
            const A positive = x > A(0) ? x : A(0);
            return {positive * positive, A(2) * positive};
        }
        default: {
            const A s = A(1) / (A(1) + exp(-x));
            return {x * s, s + x * s * (A(1) - s)};
        }
    }
}

template <class T>
void forward(const Call& call, ActivationKind kind) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], activate(kind, static_cast<A>(x[i])).value, accumulate);
    });
}

template <class T>
void backward(const Call& call, ActivationKind kind) {
    using A = accumulator_t<T>;
    const T *x = call.inputs[0].as<const T>(), *dy = call.inputs[1].as<const T>();
    T* dx = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(dx[i], activate(kind, static_cast<A>(x[i])).slope * static_cast<A>(dy[i]), accumulate);
    });
}

template <class T>
void gated(const Call& call, ActivationKind kind) {
    using A = accumulator_t<T>;
    const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
    T* y = call.outputs[0].as<T>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        put(y[i], activate(kind, static_cast<A>(gate[i])).value * static_cast<A>(up[i]),
            accumulate);
    });
}

/// Reads all of element i before it writes any: the outputs may lie over the inputs.
template <class T>
void gated_backward(const Call& call, const GatedActivationBackward& op) {
    using A = accumulator_t<T>;
    const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
    const T* dy = call.inputs[2].as<const T>();
    const size_t up_place = op.want_gate() ? 1 : 0;
    T* dgate = op.want_gate() ? call.outputs[0].as<T>() : nullptr;
    T* dup = op.want_up() ? call.outputs[up_place].as<T>() : nullptr;
    const bool add_gate = op.want_gate() && call.accumulate[0] != 0;
    const bool add_up = op.want_up() && call.accumulate[up_place] != 0;
    const ActivationKind kind = op.kind();
    for_each(call.stream, call.inputs[0].count(), [=] __device__(int64_t i) {
        const Activated<A> a = activate(kind, static_cast<A>(gate[i]));
        const A u = static_cast<A>(up[i]), d = static_cast<A>(dy[i]);
        if (dgate != nullptr) put(dgate[i], a.slope * u * d, add_gate);
        if (dup != nullptr) put(dup[i], a.value * d, add_up);
    });
}

}  // namespace

Kernel activation_kernel(const Op& op, Types) {
    const ActivationKind kind = dynamic_cast<const Activation&>(op).kind();
    return [kind](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call, kind); });
    };
}

Kernel activation_backward_kernel(const Op& op, Types) {
    const ActivationKind kind = dynamic_cast<const ActivationBackward&>(op).kind();
    return [kind](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { backward<T>(call, kind); });
    };
}

Kernel gated_activation_kernel(const Op& op, Types) {
    const ActivationKind kind = dynamic_cast<const GatedActivation&>(op).kind();
    return [kind](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { gated<T>(call, kind); });
    };
}

Kernel gated_activation_backward_kernel(const Op& op, Types) {
    const auto copy = dynamic_cast<const GatedActivationBackward&>(op);
    return [copy](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { gated_backward<T>(call, copy); });
    };
}

}  // namespace headroom::cuda
