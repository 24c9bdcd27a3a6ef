#include "core/ops/linear.h"

#include "cuda/kernels.h"
#include "cuda/ops/linear_shapes.h"

namespace headroom::cuda {
namespace {

void run(const Call& call, Gemm product) {
    product.shape.accumulate = call.accumulate[0] != 0;
    call.products.run(product, call.stream);
}

}  // namespace

static Kernel linear_kernel(const Op& op, Types) {
    const bool transposed = dynamic_cast<const Linear&>(op).transposed();
    return [transposed](const Call& call) {
        run(call, linear_gemm(call.inputs[0], call.inputs[1], call.outputs[0], transposed));
    };
}

static Kernel linear_backward_input_kernel(const Op&, Types) {
    return [](const Call& call) {
        run(call, input_gradient_gemm(call.inputs[0], call.inputs[1], call.outputs[0]));
    };
}

static Kernel linear_backward_weight_kernel(const Op&, Types) {
    return [](const Call& call) {
        run(call, weight_gradient_gemm(call.inputs[0], call.inputs[1], call.outputs[0]));
    };
}

const RegisteredKernel kLinearKernels[] = {
    {"linear", linear_kernel},
    {"linear_backward_input", linear_backward_input_kernel},
    {"linear_backward_weight", linear_backward_weight_kernel}};

}  // namespace headroom::cuda
