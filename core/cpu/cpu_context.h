#pragma once

#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"

namespace headroom {

/// What CPU kernels share during a run. Used by one thread at a time.
class CpuContext {
  public:
    int threads() const { return cpu_threads(); }

    /// GemmLibrary by storage type; see gemm.h. C may be float where A and B are bf16.
    void gemm(const GemmShape& shape, const float* a, const float* b, float* c) {
        headroom::gemm(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const double* a, const double* b, double* c) {
        headroom::gemm(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
        bf16_.run(shape, a, b, c);
    }
    void gemm(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
        bf16_.run(shape, a, b, c);
    }

  private:
    Bf16Gemm bf16_;
};

}  // namespace headroom
