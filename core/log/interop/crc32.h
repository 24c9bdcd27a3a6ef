#pragma once

#include <cstdint>
#include <string_view>

namespace headroom {

/// The polynomials of 32 bits that log files of other tools are checked with, reflected.
enum class Crc32 : uint32_t {
    kCastagnoli = 0x82f63b78u,  ///< TensorBoard
    kIeee = 0xedb88320u         ///< Weights & Biases; the same as zlib's
};

/// The checksum of `bytes`, behind others whose checksum is `before`.
uint32_t crc32(Crc32 polynomial, std::string_view bytes, uint32_t before = 0);

}  // namespace headroom
