#pragma once

#include <string_view>

#include "cuda/kernel.h"

namespace headroom::cuda {

/// How the kernels of an operator are made for a node whose inputs have these types.
using KernelMaker = Kernel (*)(const Op&, Types);

/// Makes an operator known to make_kernel. The file of cuda/ops/ that holds the kernels ends with
///     const RegisteredKernel kDyTKernels[] = {{"dyt", dyt_kernel}};
class RegisteredKernel {
  public:
    RegisteredKernel(std::string_view op, KernelMaker make);
};

}  // namespace headroom::cuda
