#include "cuda/device/arena.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/device/device.h"

namespace headroom::cuda {

DeviceMemory make_arena(const MemoryLedger& ledger, std::string_view device) {
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "tell its free memory");
    const auto bytes = static_cast<size_t>(std::max<int64_t>(ledger.total, kArenaAlignment));
    std::optional<DeviceMemory> arena;
    if (bytes <= free) arena = DeviceMemory::try_allocate(bytes);
    if (!arena) throw not_enough_memory(ledger, device, static_cast<int64_t>(free));
    return std::move(*arena);
}

}  // namespace headroom::cuda
