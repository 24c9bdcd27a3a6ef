#pragma once

#include <memory>

#include "core/device/yardstick.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// The chosen device's: products of large matrices by `products`, copies inside its memory, both
/// timed by the device's own clock. EnvironmentError if it has no memory left for them.
std::unique_ptr<Yardstick> make_cuda_yardstick(std::unique_ptr<GemmLibrary> products);

}  // namespace headroom::cuda
