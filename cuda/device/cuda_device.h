#pragma once

#include <memory>

#include "core/device/device.h"
#include "cuda/group/all_reduce.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// The CUDA device of this process, see device_choice.h. `make_gemm_library` is called once for
/// each executor. EnvironmentError if there is none, or its driver is too old.
std::unique_ptr<Device> make_cuda_device(std::unique_ptr<GemmLibrary> (*make_gemm_library)(),
                                         MakeAllReduce make_all_reduce);

/// GemmLibrary by cuBLASLt (cublaslt_library.cpp).
std::unique_ptr<GemmLibrary> make_cublaslt_library();

}  // namespace headroom::cuda
