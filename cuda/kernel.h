#pragma once

#include <cstdint>
#include <functional>
#include <span>

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
};

/// What a kernel is launched with. Pointers are the device's.
struct Call {
    std::span<const Tensor> inputs;
    std::span<const Tensor> outputs;
    std::span<const uint8_t> accumulate;
    std::byte* workspace = nullptr;  ///< Op::workspace_bytes() with one thread
    const StepContext& step;
    Products& products;
    cudaStream_t stream;
};

/// Launches the kernels of one node. Made once per node, so that it may own tables.
using Kernel = std::function<void(const Call&)>;

/// The kernel for an operator. InternalError if the device has none for it: every operator has.
Kernel make_kernel(const Op& op);


}  // namespace headroom::cuda
