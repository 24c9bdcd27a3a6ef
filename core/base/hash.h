#pragma once

#include <cstdint>
#include <span>

namespace headroom {

/// FNV-1a, 64 bits: the value of an empty message, and the start of every chain.
inline constexpr uint64_t kHashSeed = 0xcbf29ce484222325u;

/// FNV-1a (Fowler, Noll and Vo; draft-eastlake-fnv) over bytes, continued from `seed`.
uint64_t hash_bytes(std::span<const unsigned char> bytes, uint64_t seed = kHashSeed);

/// Hash of one batch: FNV-1a over the 32-bit little-endian inputs, then the targets, continued
/// from `seed`. Chain it over the micro-batches of a step; equal values prove equal batches.
uint64_t hash_tokens(std::span<const int32_t> inputs, std::span<const int32_t> targets,
                     uint64_t seed = kHashSeed);

}  // namespace headroom
