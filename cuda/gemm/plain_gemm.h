#pragma once

#include "cuda/gemm/gemm_library.h"

namespace headroom::cuda {

/// A product that the library has no kernel for: a thread for each number of C. Slow, any strides.
void run_plain_gemm(const Gemm& product, cudaStream_t stream);

}  // namespace headroom::cuda
