#pragma once

#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"
#include "core/cpu/squared_norm.h"

namespace headroom {

/// What CPU kernels share during a run. Used by one thread at a time.
class CpuContext {
  public:
    int threads() const { return cpu_threads(); }

    /// See gemm.h. C may be float where A and B are bf16.
    void gemm(const GemmShape& shape, const float* a, const float* b, float* c) {
        gemm_.run(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const double* a, const double* b, double* c) {
        headroom::gemm(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
        gemm_.run(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
        gemm_.run(shape, a, b, c);
    }

    /// The same, and returns the squared norm of C as it is in the end. scratch:
    /// norm_scratch(shape) doubles. REQUIRES rows of C that follow each other.
    template <class T>
    double gemm_with_norm(const GemmShape& shape, const T* a, const T* b, T* c, double* scratch) {
        gemm(shape, a, b, c);
        return squared_norm(c, shape.m * shape.n, scratch);
    }
    double gemm_with_norm(const GemmShape& shape, const bf16* a, const bf16* b, float* c,
                          double* scratch) {
        return gemm_.run_with_norm(shape, a, b, c, scratch);
    }

  private:
    CpuGemm gemm_;
};

}  // namespace headroom
