#pragma once

#include <cuda_runtime.h>

namespace headroom::cuda {

/// EnvironmentError "CUDA could not DOING: REASON" unless the call succeeded.
void check(cudaError_t status, const char* doing);

}  // namespace headroom::cuda
