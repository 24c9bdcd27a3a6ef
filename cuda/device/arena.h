#pragma once

#include <cstddef>
#include <string_view>

#include "core/graph/plan.h"
#include "cuda/device/device_memory.h"

namespace headroom::cuda {

/// Bytes that stay free beside an arena: 512 MiB, of a device with less than 4 GiB an eighth. The
/// kernels' code and the library's are loaded at their first run, graphs are recorded, and
/// algorithms are tried with memory of their own; without room for that the first step would fail.
size_t reserve_of(size_t total);

/// The one block of memory of a planned graph. EnvironmentError naming the device, what is free of
/// it, the reserve and the ledger, if it is too large.
DeviceMemory make_arena(const MemoryLedger& ledger, std::string_view device);

}  // namespace headroom::cuda
