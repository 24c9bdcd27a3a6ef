#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include <cuda_runtime.h>

#include "core/graph/op.h"
#include "cuda/gemm/gemm_library.h"

namespace headroom::cuda {

/// What a kernel is launched with. Pointers are the device's.
struct Call {
    std::span<const Tensor> inputs;
    std::span<const Tensor> outputs;
    std::span<const uint8_t> accumulate;
    std::byte* workspace = nullptr;  ///< Kernel::workspace_bytes long, aligned to 64 bytes, garbage
    /// In the device's memory: a launch is recorded once and played again for other steps, so that
    /// only kernels may read it.
    const StepContext* step;
    GemmLibrary& products;
    cudaStream_t stream;
};

/// Launches the kernels of one node. Made once per node, so that it may own tables, filled in at
/// the first call. What a call launches depends on its tensors and flags alone.
struct Kernel {
    Kernel() = default;  ///< none
    template <std::invocable<const Call&> F>
    Kernel(F launch_, int64_t workspace_bytes_ = 0)  // NOLINT: a plain function is a kernel
        : launch(std::move(launch_)), workspace_bytes(workspace_bytes_) {}

    std::function<void(const Call&)> launch;
    int64_t workspace_bytes = 0;  ///< scratch of one call
};

/// The types of a node's inputs.
using Types = std::span<const TensorType>;

/// The kernel for an operator on inputs of these types. InternalError if the device has none for
/// it: every operator has.
Kernel make_kernel(const Op& op, Types inputs);

}  // namespace headroom::cuda
