#pragma once

#include <memory>

#include "core/device/device.h"
#include "cuda/group/averager.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// The CUDA device of this process, see device_choice.h. `make_products` is called once for each
/// executor. EnvironmentError if there is none, or its driver is too old.
std::unique_ptr<Device> make_cuda_device(std::unique_ptr<Products> (*make_products)(),
                                         MakeAverager make_averager);

/// Products by cuBLASLt (products_cublaslt.cpp).
std::unique_ptr<Products> make_cublaslt_products();

}  // namespace headroom::cuda
