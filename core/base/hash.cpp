#include "core/base/hash.h"

namespace headroom {
namespace {

uint64_t add_byte(uint64_t hash, unsigned char byte) {
    return (hash ^ byte) * 0x100000001b3u;
}

/// Little-endian whatever the processor is, so that logs compare across machines.
uint64_t add_ids(uint64_t hash, std::span<const int32_t> ids) {
    for (const int32_t id : ids) {
        const uint32_t u = static_cast<uint32_t>(id);
        for (int shift = 0; shift < 32; shift += 8)
            hash = add_byte(hash, static_cast<unsigned char>(u >> shift));
    }
    return hash;
}

}  // namespace

uint64_t hash_bytes(std::span<const unsigned char> bytes, uint64_t seed) {
    for (const unsigned char byte : bytes) seed = add_byte(seed, byte);
    return seed;
}

uint64_t hash_tokens(std::span<const int32_t> inputs, std::span<const int32_t> targets,
                     uint64_t seed) {
    return add_ids(add_ids(seed, inputs), targets);
}

}  // namespace headroom
