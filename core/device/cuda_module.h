#pragma once

#include <filesystem>
#include <memory>

#include "core/device/device.h"

namespace headroom {

/// The CUDA device, out of headroom-cuda.so in `folder`: the program itself needs no CUDA library.
/// UserError if the module was not built; EnvironmentError if the machine has no driver or device.
std::unique_ptr<Device> open_cuda_device(const std::filesystem::path& folder);

}  // namespace headroom
