#pragma once

#include <vector>

#include "core/ops/adamw.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

// Kernels that compute several nodes in one call. Their inputs and outputs are those of the nodes,
// one node after the other.

/// One node of a run of AdamW nodes.
struct AdamWUpdate {
    AdamWOptions options;
    int copy = -1;  ///< the output that is the weight's bfloat16 working copy, or -1
};

/// AdamW nodes that read one norm, then the casts that remake working copies of their weights: one
/// launch over all tensors, whose parameters are of type `dtype`.
Kernel adamw_run_kernel(std::vector<AdamWUpdate> updates, DType dtype);

}  // namespace headroom::cuda
