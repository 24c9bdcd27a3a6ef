#include "core/base/hash.h"

namespace headroom {
namespace {

uint64_t add_byte(uint64_t hash, unsigned char byte) {
    return (hash ^ byte) * 0x100000001b3u;
}

}  // namespace

uint64_t hash_bytes(std::span<const unsigned char> bytes, uint64_t seed) {
    for (const unsigned char byte : bytes) seed = add_byte(seed, byte);
    return seed;
}

}  // namespace headroom
