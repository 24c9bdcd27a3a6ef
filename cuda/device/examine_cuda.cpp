#include "cuda/device/examine_cuda.h"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "cuda/device/device_choice.h"

#ifndef HEADROOM_CUDA_BUILT_FOR
#define HEADROOM_CUDA_BUILT_FOR ""
#define HEADROOM_CUDA_OPTIMISED 1
#endif

namespace headroom::cuda {
namespace {

/// "13.0" for 13000, as CUDA counts its versions; "" for 0.
std::string version_text(int version) {
    return version == 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

CudaReport examine_cuda() {
    CudaReport report;
    report.toolkit = version_text(CUDART_VERSION);
    report.architectures = HEADROOM_CUDA_BUILT_FOR;
    report.optimised = HEADROOM_CUDA_OPTIMISED != 0;
    int driver = 0, count = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess) report.driver = version_text(driver);
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        report.problem = cudaGetErrorString(status != cudaSuccess ? status : cudaErrorNoDevice);
        cudaGetLastError();
        return report;
    }
    for (int device = 0; device < count; ++device) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
        report.gpus.push_back({properties.name, static_cast<int64_t>(properties.totalGlobalMem),
                               properties.major, properties.minor});
    }
    report.chosen = choose_device(count, local_rank());
    return report;
}

}  // namespace headroom::cuda
