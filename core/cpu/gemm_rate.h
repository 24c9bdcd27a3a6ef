#pragma once

#include <vector>

#include "core/device/device_ceilings.h"

namespace headroom {

/// The rate of each installed library, fastest first. float32, or
/// bfloat16 with float32 sums (oneDNN alone; empty where the processor has no such products).
/// Takes about half a second a library.
std::vector<GemmRate> measure_gemm_rates(DType dtype = DType::kF32);

}  // namespace headroom
