#include "core/cpu/cpu_context.h"
#include "core/ops/dispatch.h"
#include "core/ops/linear.h"
#include "core/ops/skinny_gemm.h"

namespace headroom {
namespace {

GemmShape input_shape(const KernelCall& call) {
    const Tensor &dy = call.inputs[0], &w = call.inputs[1];
    const int64_t in = w.type.shape[0], out = w.type.shape[1];
    return {dy.rows(), in, out, false, true, out, out, in, call.accumulate[0] != 0};
}

GemmShape weight_shape(const KernelCall& call) {
    const Tensor &x = call.inputs[0], &dy = call.inputs[1];
    const int64_t in = x.columns(), out = dy.columns();
    return {in, out, x.rows(), true, false, in, out, out, call.accumulate[0] != 0};
}

/// C has the storage type, or the accumulator type for weight gradients.
void fast(const GemmShape& shape, const KernelCall& call) {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
    dispatch_float(a.type.dtype, [&]<class T>(T) {
        if (c.type.dtype == DTypeOf<T>::value)
            call.cpu.gemm(shape, a.as<const T>(), b.as<const T>(), c.as<T>());
        else
            call.cpu.gemm(shape, a.as<const T>(), b.as<const T>(), c.as<accumulator_t<T>>());
    });
}

void reference(const GemmShape& shape, const KernelCall& call) {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
    if (a.type.dtype == DType::kF64)
        gemm_reference(shape, a.as<const double>(), b.as<const double>(), c.as<double>());
    else
        gemm_reference(shape, a.as<const float>(), b.as<const float>(), c.as<float>());
}

}  // namespace

GemmShape Linear::shape(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t in = x.columns(), out = y.columns();
    return {x.rows(),
            out,
            in,
            false,
            transposed_,
            in,
            transposed_ ? in : out,
            out,
            call.accumulate[0] != 0};
}

void Linear::run(const KernelCall& call) const {
    const GemmShape product = shape(call);
    if (product.m > kSkinnyRows) {
        fast(product, call);
        return;
    }
    const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        skinny_gemm(product, x.as<const T>(), w.as<const T>(), y.as<T>(),
                    reinterpret_cast<accumulator_t<T>*>(call.workspace.data()));
    });
}
void Linear::run_reference(const KernelCall& call) const {
    reference(shape(call), call);
}

void LinearBackwardInput::run(const KernelCall& call) const {
    fast(input_shape(call), call);
}
void LinearBackwardInput::run_reference(const KernelCall& call) const {
    reference(input_shape(call), call);
}

void LinearBackwardWeight::run(const KernelCall& call) const {
    fast(weight_shape(call), call);
}
void LinearBackwardWeight::run_reference(const KernelCall& call) const {
    reference(weight_shape(call), call);
}

}  // namespace headroom
