#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include <cuda_runtime.h>

#include "core/cpu/gemm.h"
#include "core/graph/op.h"

namespace headroom::cuda {

/// Matrix products on the device: cuBLASLt, or loops on the host where the device is emulated.
class Products {
  public:
    virtual ~Products() = default;
    /// C = op(A) op(B) + beta C, see GemmShape. A and B of type `in`; C of type `out`: `in` or its
    /// accumulator type. Sums in the accumulator type.
    virtual void run(const GemmShape& shape, DType in, const void* a, const void* b, DType out,
                     void* c, cudaStream_t stream) = 0;

    /// Scratch of the products themselves, beside that of the kernels that call them. It lies in
    /// the executor's arena, so that the ledger counts it: set once, before the first product;
    /// aligned to 256 bytes, garbage.
    virtual int64_t workspace_bytes() const = 0;
    virtual void set_workspace(std::byte* workspace) = 0;
};

/// What a kernel is launched with. Pointers are the device's.
struct Call {
    std::span<const Tensor> inputs;
    std::span<const Tensor> outputs;
    std::span<const uint8_t> accumulate;
    std::byte* workspace = nullptr;  ///< Kernel::workspace_bytes long, aligned to 64 bytes, garbage
    /// In the device's memory: a launch is recorded once and played again for other steps, so that
    /// only kernels may read it.
    const StepContext* step;
    Products& products;
    cudaStream_t stream;
};

/// Launches the kernels of one node. Made once per node, so that it may own tables, filled in at
/// the first call. What a call launches depends on its tensors and flags alone.
struct Kernel {
    template <std::invocable<const Call&> F>
    Kernel(F launch_, int64_t workspace_bytes_ = 0)  // NOLINT: a plain function is a kernel
        : launch(std::move(launch_)), workspace_bytes(workspace_bytes_) {}

    std::function<void(const Call&)> launch;
    int64_t workspace_bytes;  ///< scratch of one call
};

/// The types of a node's inputs.
using Types = std::span<const TensorType>;

/// The kernel for an operator on inputs of these types. InternalError if the device has none for
/// it: every operator has.
Kernel make_kernel(const Op& op, Types inputs);

}  // namespace headroom::cuda
