#include "cuda/device/check.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom::cuda {

void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // told here: the next kernel is not to be blamed
    throw EnvironmentError(fmt::format("CUDA could not {}: {}", doing, cudaGetErrorString(status)),
                           "see headroom doctor, or use --device cpu");
}

}  // namespace headroom::cuda
