#include "core/ops/head_linear.h"

#include "cuda/kernels.h"

namespace headroom::cuda {

/// The heads' products, on columns of wider matrices, are one batch.
static Kernel head_linear_kernel(const Op& op, Types) {
    const auto& h = dynamic_cast<const HeadLinear&>(op);
    return
        [n_head = h.n_head(), transposed = h.transposed(), stride = h.stride()](const Call& call) {
            const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
            const int64_t r = w.type.shape[0], width = w.columns() / n_head;
            const GemmShape shape{x.rows(),
                                  transposed ? r : width,
                                  transposed ? width : r,
                                  false,
                                  transposed,
                                  x.columns(),
                                  w.columns(),
                                  y.columns(),
                                  call.accumulate[0] != 0};
            const Batch heads{n_head, transposed ? stride : r, width, transposed ? r : width};
            call.products.run({shape, x.type.dtype, x.data, w.data, y.type.dtype, y.data, heads},
                              call.stream);
        };
}

const RegisteredKernel kHeadLinearKernels[] = {{"head_linear", head_linear_kernel}};

}  // namespace headroom::cuda
