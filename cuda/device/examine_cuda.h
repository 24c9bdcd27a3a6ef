#pragma once

#include "core/device/cuda_report.h"

namespace headroom::cuda {

/// Asks the driver what there is; takes no device and allocates nothing there. Where there is no
/// driver or no device, the report says so.
CudaReport examine_cuda();

}  // namespace headroom::cuda
