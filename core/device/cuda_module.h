#pragma once

#include <filesystem>
#include <memory>

#include "core/device/cuda_report.h"
#include "core/device/device.h"

namespace headroom {

/// Where the CUDA module lies if it was built.
std::filesystem::path cuda_module_in(const std::filesystem::path& folder);

/// Whether the library of a driver is installed: without one nothing else need be asked.
bool has_cuda_driver();

/// The CUDA device, out of headroom-cuda.so in `folder`: the program itself needs no CUDA library.
/// UserError if the module was not built; EnvironmentError if the machine has no driver or device.
std::unique_ptr<Device> open_cuda_device(const std::filesystem::path& folder);

/// What the module says of itself and of this machine, also without a driver. UserError if it was
/// not built, EnvironmentError if it cannot be loaded.
CudaReport examine_cuda_module(const std::filesystem::path& folder);

}  // namespace headroom
