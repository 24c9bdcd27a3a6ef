#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "core/base/tensor.h"
#include "core/cpu/gemm.h"

namespace headroom::cuda {

/// Several products of one shape, each so many elements behind the last.
struct Batch {
    int64_t count = 1;
    int64_t a = 0, b = 0, c = 0;
};

/// C = op(A) op(B) + beta C, see GemmShape. A and B of type `in`; C of type `out`: `in` or its
/// accumulator type. Sums in the accumulator type. Pointers are the device's.
struct Gemm {
    GemmShape shape;
    DType in;
    const void *a, *b;
    DType out;
    void* c;
    Batch batch{};
};

/// What becomes of the sums of a product before they are stored, in this order; null: nothing.
struct Epilogue {
    const void* add = nullptr;       ///< laid out like C, or C itself: added
    const void* bias = nullptr;      ///< [n] of C's type: added to every row
    bool gelu = false;               ///< GELU in its tanh form
    void* before_gelu = nullptr;     ///< laid out like C: what GELU was applied to, if it is kept
    const void* slope_at = nullptr;  ///< laid out like C: times the slope of that GELU there
    void* column_sums = nullptr;  ///< [n] of C's type: overwritten with the sums over op(B)'s rows
};

/// Matrix products on the device: cuBLASLt, or loops on the host where the device is emulated.
class GemmLibrary {
  public:
    virtual ~GemmLibrary() = default;

    virtual void run(const Gemm& product, cudaStream_t stream) = 0;
    /// The same with an epilogue; `add` stands in the place of beta C. False, and nothing done, if
    /// there is no such product: for one node's calls always, or never.
    virtual bool run_with(const Gemm& product, const Epilogue& epilogue, cudaStream_t stream) = 0;
    void run(const GemmShape& shape, DType in, const void* a, const void* b, DType out, void* c,
             cudaStream_t stream) {
        run({shape, in, a, b, out, c}, stream);
    }

    /// Scratch of the products themselves, beside that of the kernels that call them. It lies in
    /// the executor's arena, so that the ledger counts it: set once, before the first product;
    /// aligned to 256 bytes, garbage.
    virtual int64_t workspace_bytes() const = 0;
    virtual void set_workspace(std::byte* workspace) = 0;
};

}  // namespace headroom::cuda
