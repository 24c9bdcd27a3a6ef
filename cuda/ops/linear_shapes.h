#pragma once

#include "cuda/kernel.h"

namespace headroom::cuda {

/// The product of core/ops/linear.h's Linear: y = x W, or x W^T.
inline Gemm linear_gemm(const Tensor& x, const Tensor& w, const Tensor& y, bool transposed) {
    const int64_t in = x.columns(), out = y.columns();
    return {{x.rows(), out, in, false, transposed, in, w.columns(), out, false},
            x.type.dtype,
            x.data,
            w.data,
            y.type.dtype,
            y.data};
}

/// dx = dy W^T.
inline Gemm input_gradient_gemm(const Tensor& dy, const Tensor& w, const Tensor& dx) {
    return linear_gemm(dy, w, dx, true);
}

/// dW = x^T dy, over the rows.
inline Gemm weight_gradient_gemm(const Tensor& x, const Tensor& dy, const Tensor& dw) {
    const int64_t in = x.columns(), out = dy.columns();
    return {{in, out, x.rows(), true, false, in, out, out, false},
            x.type.dtype,
            x.data,
            dy.data,
            dw.type.dtype,
            dw.data};
}

}  // namespace headroom::cuda
