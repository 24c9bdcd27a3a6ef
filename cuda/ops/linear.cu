#include "core/ops/linear.h"

#include "cuda/kernels.h"

namespace headroom::cuda {

Kernel linear_kernel(const Op& op, Types) {
    const bool transposed = dynamic_cast<const Linear&>(op).transposed();
    return [transposed](const Call& call) {
        const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
        const int64_t in = x.columns(), out = y.columns();
        const GemmShape shape{x.rows(), out,        in,  false, transposed,
                              in,       w.columns(), out, call.accumulate[0] != 0};
        call.products.run(shape, x.type.dtype, x.data, w.data, y.type.dtype, y.data, call.stream);
    };
}

Kernel linear_backward_input_kernel(const Op&, Types) {
    return [](const Call& call) {
        const Tensor &dy = call.inputs[0], &w = call.inputs[1], &dx = call.outputs[0];
        const int64_t in = dx.columns(), out = dy.columns();
        const GemmShape shape{dy.rows(), in, out, false, true, out, out, in,
                              call.accumulate[0] != 0};
        call.products.run(shape, dy.type.dtype, dy.data, w.data, dx.type.dtype, dx.data,
                          call.stream);
    };
}

Kernel linear_backward_weight_kernel(const Op&, Types) {
    return [](const Call& call) {
        const Tensor &x = call.inputs[0], &dy = call.inputs[1], &dw = call.outputs[0];
        const int64_t in = x.columns(), out = dy.columns();
        const GemmShape shape{in, out, x.rows(), true, false, in, out, out,
                              call.accumulate[0] != 0};
        call.products.run(shape, x.type.dtype, x.data, dy.data, dw.type.dtype, dw.data,
                          call.stream);
    };
}

}  // namespace headroom::cuda
