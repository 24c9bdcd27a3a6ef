#pragma once

#include <functional>
#include <vector>

#include "core/ops/adamw.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

// Kernels that compute several nodes in one call. Their inputs and outputs are those of the nodes,
// one node after the other.

/// AdamW nodes that read one norm: one launch over all tensors, whose parameters are of type
/// `dtype` and whose working copies, where they have any, are in bfloat16.
Kernel adamw_run_kernel(std::vector<AdamW> updates, DType dtype);

/// A call that several nodes could be. False, and nothing written, if the device has none for it.
struct Together {
    std::function<bool(const Call&)> launch;
    int64_t workspace_bytes = 0;
};

/// Which of the nodes' inputs and outputs a linear map with what follows it works on; -1: none.
struct LinearChain {
    bool transposed = false;  ///< of Linear
    int bias = -1;            ///< input: [out], accumulator type
    int add = -1;             ///< input: added to the map
    bool gelu = false;
    int before_gelu = -1;  ///< output: what GELU is applied to, where it is kept
    int result = 0;        ///< output
};

/// y = x W, + bias, then GELU or + another tensor. `y`: the type of the result.
Together linear_chain(const LinearChain& chain, const TensorType& y);
/// linear_backward_input, then activation_backward of GELU: dx = gelu'(x) (dy W^T).
Together linear_backward_input_with_gelu();
/// add_bias_backward, then linear_backward_weight of the same dy: db, dW = x^T dy. `db`: its type.
Together linear_backward_weight_with_bias(const TensorType& db);

/// One of the nodes that stand behind a Together.
struct FusedPart {
    Kernel kernel;
    size_t inputs, outputs;  ///< how many it has
};

/// The call if there is one, else the nodes in turn.
Kernel together_or_apart(Together together, std::vector<FusedPart> parts);

}  // namespace headroom::cuda
