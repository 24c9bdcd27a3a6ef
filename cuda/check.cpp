#include "cuda/check.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom::cuda {

void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    throw EnvironmentError(fmt::format("CUDA could not {}: {}", doing, cudaGetErrorString(status)),
                           "see headroom doctor, or use --device cpu");
}

}  // namespace headroom::cuda
