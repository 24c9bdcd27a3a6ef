#pragma once

#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"

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

  private:
    CpuGemm gemm_;
};

}  // namespace headroom
