#pragma once

#include <cstdint>
#include <memory>

#include "core/base/bf16.h"

namespace headroom {

/// One matrix product C = op(A) op(B) + beta C, row-major, beta 0 or 1. op(A) is [m, k], op(B)
/// [k, n]; `a_transposed` means that A is stored [k, m]. lda, ldb, ldc are row strides in elements.
struct GemmShape {
    int64_t m = 0, n = 0, k = 0;
    bool a_transposed = false, b_transposed = false;
    int64_t lda = 0, ldb = 0, ldc = 0;
    bool accumulate = false;  ///< beta = 1
    /// B as it is stored lies in MemoryLayout::kPanels, ldb apart: in tiles of
    /// bfloat16 alone.
    bool b_panels = false;
    /// C is read long after: a large one may be written past the cache.
    bool read_late = false;

    bool operator==(const GemmShape&) const = default;
};

inline constexpr int64_t kNormSide = 32;  ///< rows and columns of C whose norm is formed at once

/// Doubles of scratch that a product needs that tells the squared norm of C: enough for
/// squared_norm of C, too.
constexpr int64_t norm_scratch(const GemmShape& s) {
    return ((s.m + kNormSide - 1) / kNormSide) * ((s.n + kNormSide - 1) / kNormSide);
}

/// float: oneDNN. Inside a parallel region it uses the calling thread alone. Throws
/// EnvironmentError if the library fails.
void gemm(const GemmShape& shape, const float* a, const float* b, float* c);
/// double: OpenBLAS where it is installed, otherwise gemm_reference.
void gemm(const GemmShape& shape, const double* a, const double* b, double* c);

/// The specification: three loops, sums in double.
template <class T>
void gemm_reference(const GemmShape& shape, const T* a, const T* b, T* c);

class AmxProduct;
class OneDnnProduct;
class WidenedProduct;

/// The products of the CPU's kernels, by the fastest that there is, with float32 sums: float32 in
/// the processor's tiles if that is worth it (core/cpu/amx_product.h) or else by oneDNN; bfloat16
/// in tiles, by oneDNN, or as float32 products (core/cpu/widened_product.h). Not thread-safe: one
/// per CpuContext.
class CpuGemm {
  public:
    CpuGemm();
    ~CpuGemm();
    CpuGemm(const CpuGemm&) = delete;
    CpuGemm& operator=(const CpuGemm&) = delete;

    void run(const GemmShape& shape, const float* a, const float* b, float* c);
    void run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c);
    void run(const GemmShape& shape, const bf16* a, const bf16* b, float* c);

    /// And returns the squared norm of C as it is in the end. scratch: norm_scratch(shape).
    /// REQUIRES rows of C that follow each other.
    double run_with_norm(const GemmShape& shape, const bf16* a, const bf16* b, float* c,
                         double* scratch);

    /// True if this processor multiplies bfloat16 itself: then it is faster than float32.
    static bool native_bf16();

  private:
    template <class C>
    void run_bf16(const GemmShape& shape, const bf16* a, const bf16* b, C* c);

    std::unique_ptr<AmxProduct> tiles_;
    std::unique_ptr<OneDnnProduct> onednn_;
    std::unique_ptr<WidenedProduct> widened_;
};

}  // namespace headroom
