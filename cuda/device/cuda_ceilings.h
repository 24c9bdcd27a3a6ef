#pragma once

#include <memory>

#include "core/device/device_ceilings.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// The chosen device's: products of large matrices by `products`, copies inside its memory, both
/// timed by the device's own clock. EnvironmentError if it has no memory left for them.
std::unique_ptr<DeviceCeilings> make_cuda_ceilings(std::unique_ptr<GemmLibrary> products);

}  // namespace headroom::cuda
