#pragma once

#include <cstdint>
#include <span>

namespace headroom {

/// FNV-1a, 64 bits: the value of an empty message, and the start of every chain.
inline constexpr uint64_t kHashSeed = 0xcbf29ce484222325u;

/// FNV-1a (Fowler, Noll and Vo; draft-eastlake-fnv) over bytes, continued from `seed`.
uint64_t hash_bytes(std::span<const unsigned char> bytes, uint64_t seed = kHashSeed);

}  // namespace headroom
