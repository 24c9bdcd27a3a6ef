#include "cuda/device/arena.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/device/device.h"

namespace headroom::cuda {
namespace {

constexpr size_t kReserve = size_t{512} << 20;
constexpr size_t kLeastShare = 8;

}  // namespace

size_t reserve_of(size_t total) {
    return std::min(kReserve, total / kLeastShare);
}

DeviceMemory make_arena(const MemoryLedger& ledger, std::string_view device) {
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "tell its free memory");
    const auto bytes = static_cast<size_t>(std::max<int64_t>(ledger.total, kArenaAlignment));
    std::optional<DeviceMemory> arena;
    const size_t reserve = reserve_of(total);
    if (bytes + reserve <= free) arena = DeviceMemory::try_allocate(bytes);
    if (!arena)
        throw not_enough_memory(ledger, device, static_cast<int64_t>(free),
                                static_cast<int64_t>(reserve));
    return std::move(*arena);
}

}  // namespace headroom::cuda
