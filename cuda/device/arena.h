#pragma once

#include <string_view>

#include "core/graph/plan.h"
#include "cuda/device/device_memory.h"

namespace headroom::cuda {

/// The one block of memory of a planned graph. EnvironmentError naming the device, what is free of
/// it and the ledger, if it is too large.
DeviceMemory make_arena(const MemoryLedger& ledger, std::string_view device);

}  // namespace headroom::cuda
