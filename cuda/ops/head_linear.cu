#include "core/ops/head_linear.h"

#include "cuda/kernels.h"

namespace headroom::cuda {

/// A product for each head, on columns of wider matrices.
Kernel head_linear_kernel(const Op& op, Types) {
    const auto& h = dynamic_cast<const HeadLinear&>(op);
    return [n_head = h.n_head(), transposed = h.transposed(), stride = h.stride()](
               const Call& call) {
        const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
        const int64_t r = w.type.shape[0], width = w.columns() / n_head;
        const auto size = static_cast<int64_t>(size_of(x.type.dtype));
        for (int64_t head = 0; head < n_head; ++head) {
            const int64_t x_at = head * (transposed ? stride : r);
            const int64_t y_at = head * (transposed ? r : width);
            const GemmShape shape{x.rows(),
                                  transposed ? r : width,
                                  transposed ? width : r,
                                  false,
                                  transposed,
                                  x.columns(),
                                  w.columns(),
                                  y.columns(),
                                  call.accumulate[0] != 0};
            call.products.run(shape, x.type.dtype, x.as<std::byte>() + x_at * size,
                              w.as<std::byte>() + head * width * size, y.type.dtype,
                              y.as<std::byte>() + y_at * size, call.stream);
        }
    };
}

}  // namespace headroom::cuda
