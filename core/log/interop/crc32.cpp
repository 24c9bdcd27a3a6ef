#include "core/log/interop/crc32.h"

#include <array>

namespace headroom {
namespace {

using CrcTable = std::array<uint32_t, 256>;

CrcTable crc_table(Crc32 polynomial) {
    CrcTable entries{};
    for (uint32_t i = 0; i < entries.size(); ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = value & 1 ? value >> 1 ^ static_cast<uint32_t>(polynomial) : value >> 1;
        entries[i] = value;
    }
    return entries;
}

}  // namespace

uint32_t crc32(Crc32 polynomial, std::string_view bytes, uint32_t before) {
    static const CrcTable castagnoli = crc_table(Crc32::kCastagnoli);
    static const CrcTable ieee = crc_table(Crc32::kIeee);
    const CrcTable& table = polynomial == Crc32::kIeee ? ieee : castagnoli;
    uint32_t crc = ~before;
    for (const char byte : bytes)
        crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xffu];
    return ~crc;
}

}  // namespace headroom
