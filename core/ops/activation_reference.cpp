#include <cmath>

#include "core/ops/activation.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

// The specification of the activations, in double, from the standard library's functions.

namespace headroom {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kGeluCubic = 0.044715;

struct ValueAndSlope {
    double value, slope;
};

/// act(x) and act'(x), the specification.
ValueAndSlope reference(ActivationKind kind, double x) {
    switch (kind) {
        case ActivationKind::kGelu: {
            // Φ(x) + x φ(x), Φ and φ the normal distribution and its density.
            const double cdf = 0.5 * (1.0 + std::erf(x * kSqrtHalf));
            return {x * cdf, cdf + x * kInvSqrt2Pi * std::exp(-0.5 * x * x)};
        }
        case ActivationKind::kGeluTanh: {
            const double t = std::tanh(kSqrt2OverPi * (x + kGeluCubic * x * x * x));
            const double inner = kSqrt2OverPi * (1.0 + 3.0 * kGeluCubic * x * x);
            return {0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner};
        }
        case ActivationKind::kRelu:
            return {x > 0 ? x : 0.0, x > 0 ? 1.0 : 0.0};
        case ActivationKind::kRelu2:
            return {x > 0 ? x * x : 0.0, x > 0 ? 2.0 * x : 0.0};
        case ActivationKind::kSilu: {
            const double s = 1.0 / (1.0 + std::exp(-x));
            return {x * s, s * (1.0 + x * (1.0 - s))};
        }
    }
    return {0, 0};
}

template <class T>
double at(const Tensor& tensor, int64_t i) {
    return static_cast<double>(tensor.as<const T>()[i]);
}

}  // namespace

void Activation::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < x.count(); ++i)
            store(y.as<T>()[i], reference(kind_, at<T>(x, i)).value, call.accumulate[0] != 0);
    });
}

void ActivationBackward::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &dy = call.inputs[1], &dx = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < x.count(); ++i)
            store(dx.as<T>()[i], reference(kind_, at<T>(x, i)).slope * at<T>(dy, i),
                  call.accumulate[0] != 0);
    });
}

void GatedActivation::run_reference(const KernelCall& call) const {
    const Tensor &gate = call.inputs[0], &up = call.inputs[1], &y = call.outputs[0];
    dispatch_float(gate.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < gate.count(); ++i)
            store(y.as<T>()[i], reference(kind_, at<T>(gate, i)).value * at<T>(up, i),
                  call.accumulate[0] != 0);
    });
}

void GatedActivationBackward::run_reference(const KernelCall& call) const {
    const Tensor &gate = call.inputs[0], &up = call.inputs[1], &dy = call.inputs[2];
    dispatch_float(gate.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < gate.count(); ++i) {
            const ValueAndSlope act = reference(kind_, at<T>(gate, i));
            const double u = at<T>(up, i), d = at<T>(dy, i);
            size_t o = 0;
            if (want_gate_) {
                store(call.outputs[o].as<T>()[i], act.slope * u * d, call.accumulate[o] != 0);
                ++o;
            }
            if (want_up_) store(call.outputs[o].as<T>()[i], act.value * d, call.accumulate[o] != 0);
        }
    });
}

}  // namespace headroom
