#pragma once

#include <vector>

#include "app/doctor/probes.h"
#include "core/cpu/onednn_version.h"

namespace headroom {

/// What decides which kernels the processor gets.
struct KernelState {
    bool has_avx512 = false, has_bf16 = false, has_amx = false;        ///< this processor
    bool built_avx512 = false, built_bf16 = false, built_amx = false;  ///< our own kernels
    bool may_use_amx = false;                     ///< the operating system allows it
    OneDnnKernels onednn = OneDnnKernels::kAvx2;  ///< the other matrix products

    bool uses_amx() const { return built_amx && may_use_amx; }
};

KernelState examine_kernel_state();

/// One line for float32 and one for bfloat16: what multiplies, and what would be faster.
std::vector<Finding> kernel_findings(const KernelState& state);

}  // namespace headroom
