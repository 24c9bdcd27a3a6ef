#pragma once

#include "core/op_cases/op_case_run.h"
#include "cuda/kernel.h"

namespace headroom {

/// Runs node n of a case on the CPU and, on memory of its own with guards around every tensor and
/// the scratch, as `kernel`: expects the same numbers, and that nothing else is written.
void check_kernel(CaseRun& run, const OpCase& op_case, size_t n, const cuda::Kernel& kernel,
                  bool accumulate);

/// The same with the kernel that the device has for it.
void check_kernel(CaseRun& run, const OpCase& op_case, size_t n, bool accumulate);

/// The bits of all outputs of node n as the device's kernel makes them.
std::vector<std::byte> kernel_bits(CaseRun& run, size_t n);

}  // namespace headroom
