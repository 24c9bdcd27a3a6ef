// Linear maps with what follows them, as products with epilogues.
#include "core/ops/dispatch.h"
#include "core/ops/linear.h"
#include "cuda/fusion/fused_kernels.h"
#include "cuda/ops/linear_shapes.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {
namespace {

template <class T>
void round_bias(const Call& call, const Tensor& bias) {
    using A = accumulator_t<T>;
    const A* b = bias.as<const A>();
    T* rounded = reinterpret_cast<T*>(call.workspace);
    for_each(call.stream, bias.count(),
             [=] __device__(int64_t i) { rounded[i] = static_cast<T>(b[i]); });
}

/// The bias in the type that a product wants it in, C's: itself, or a copy in scratch.
const void* bias_like(const Call& call, const Tensor& bias, DType dtype) {
    if (bias.type.dtype == dtype) return bias.data;
    dispatch_float(dtype, [&]<class T>(T) { round_bias<T>(call, bias); });
    return call.workspace;
}

template <class A>
void add_scratch(const Call& call, const Tensor& to) {
    const A* x = reinterpret_cast<const A*>(call.workspace);
    A* y = to.as<A>();
    for_each(call.stream, to.count(), [=] __device__(int64_t i) { put(y[i], x[i], true); });
}

}  // namespace

Together linear_chain(const LinearChain& chain, const TensorType& y) {
    const auto launch = [chain](const Call& call) {
        const Tensor& result = call.outputs[static_cast<size_t>(chain.result)];
        const auto input = [&](int i) { return call.inputs[static_cast<size_t>(i)]; };
        Epilogue epilogue;
        epilogue.gelu = chain.gelu;
        if (chain.bias >= 0) epilogue.bias = bias_like(call, input(chain.bias), result.type.dtype);
        if (chain.add >= 0) epilogue.add = input(chain.add).data;
        if (chain.before_gelu >= 0)
            epilogue.before_gelu = call.outputs[static_cast<size_t>(chain.before_gelu)].data;
        return call.products.run_with(linear_gemm(input(0), input(1), result, chain.transposed),
                                      epilogue, call.stream);
    };
    return {launch, y.columns() * static_cast<int64_t>(size_of(y.dtype))};
}

Together linear_backward_input_with_gelu() {
    return {[](const Call& call) {
        Epilogue epilogue;
        epilogue.slope_at = call.inputs[2].data;  // of activation_backward: x, dy
        return call.products.run_with(
            input_gradient_gemm(call.inputs[0], call.inputs[1], call.outputs[1]), epilogue,
            call.stream);
    }};
}

Together linear_backward_weight_with_bias(const TensorType& db_type) {
    const auto launch = [](const Call& call) {
        const Tensor &db = call.outputs[0], &dw = call.outputs[1];
        Gemm product = weight_gradient_gemm(call.inputs[1], call.inputs[2], dw);
        product.shape.accumulate = call.accumulate[1] != 0;
        Epilogue epilogue;
        const bool add = call.accumulate[0] != 0;
        epilogue.column_sums = add ? call.workspace : db.data;
        if (!call.products.run_with(product, epilogue, call.stream)) return false;
        if (add) dispatch_accumulator(db.type.dtype, [&]<class A>(A) { add_scratch<A>(call, db); });
        return true;
    };
    return {launch, db_type.bytes()};
}

}  // namespace headroom::cuda
