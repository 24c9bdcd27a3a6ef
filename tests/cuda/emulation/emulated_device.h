#pragma once

#include <memory>

#include "core/device/device.h"
#include "cuda/kernel.h"

namespace headroom {

/// The CUDA device with its kernels compiled for the host, blocks of one thread, and products as
/// plain loops: what the kernels compute, without a GPU. What it cannot show: sums over the threads
/// of a block, races, and speed.
std::unique_ptr<Device> make_emulated_cuda_device();
/// The same where the library of products has no epilogues.
std::unique_ptr<Device> make_emulated_cuda_device_without_epilogues();
/// The same with the products of the real device, over fake_cublaslt.h.
std::unique_ptr<Device> make_emulated_cuda_device_with_library();

/// Its products, for kernels that are launched by hand.
std::unique_ptr<cuda::GemmLibrary> make_emulated_gemm_library();

}  // namespace headroom
