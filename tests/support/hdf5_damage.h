#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom {

/// Bob Jenkins' lookup3 (public domain, 2006), with which HDF5 guards its metadata.
inline uint32_t hdf5_checksum(std::string_view bytes) {
    auto a = static_cast<uint32_t>(0xdeadbeef + bytes.size());
    uint32_t b = a, c = a;
    const auto add = [&](std::string_view twelve) {
        std::array<uint32_t, 3> words{};
        std::memcpy(words.data(), twelve.data(), twelve.size());
        a += words[0], b += words[1], c += words[2];
    };
    while (bytes.size() > 12) {
        add(bytes.substr(0, 12));
        a -= c, a ^= std::rotl(c, 4), c += b;
        b -= a, b ^= std::rotl(a, 6), a += c;
        c -= b, c ^= std::rotl(b, 8), b += a;
        a -= c, a ^= std::rotl(c, 16), c += b;
        b -= a, b ^= std::rotl(a, 19), a += c;
        c -= b, c ^= std::rotl(b, 4), b += a;
        bytes.remove_prefix(12);
    }
    if (bytes.empty()) return c;
    add(bytes);
    c ^= b, c -= std::rotl(b, 14);
    a ^= c, a -= std::rotl(c, 11);
    b ^= a, b -= std::rotl(a, 25);
    c ^= b, c -= std::rotl(b, 16);
    a ^= c, a -= std::rotl(c, 4);
    b ^= a, b -= std::rotl(a, 14);
    c ^= b, c -= std::rotl(b, 24);
    return c;
}

/// A part of a file whose last four bytes, at `end`, are its checksum.
struct ChecksummedBlock {
    size_t begin, end;
};

/// The parts of an HDF5 file that this finds by their signatures: object headers and headers of
/// indices and heaps.
inline std::vector<ChecksummedBlock> checksummed_blocks(const std::string& file) {
    const auto number = [&](size_t at, size_t bytes) {
        uint64_t value = 0;
        std::memcpy(&value, &file[at], bytes);
        return value;
    };
    std::vector<ChecksummedBlock> found{{0, 44}};
    const auto keep = [&](size_t begin, size_t end) {
        if (end + 4 <= file.size() && number(end, 4) == hdf5_checksum({&file[begin], end - begin}))
            found.push_back({begin, end});
    };
    for (const auto& [signature, bytes] : {std::pair<std::string_view, size_t>{"EAHD", 68},
                                           {"FAHD", 24},
                                           {"BTHD", 34},
                                           {"FRHP", 142}})
        for (size_t at = file.find(signature); at != std::string::npos;
             at = file.find(signature, at + 1))
            keep(at, at + bytes);
    for (size_t at = file.find("OHDR"); at != std::string::npos; at = file.find("OHDR", at + 1)) {
        if (at + 40 > file.size()) break;
        const auto flags = static_cast<unsigned char>(file[at + 5]);
        const size_t size_at =
            at + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
        const size_t width = size_t{1} << (flags & 3);
        keep(at, size_at + width + number(size_at, width));
    }
    return found;
}

/// Makes the checksum of a changed block right again.
inline void mend_checksum(std::string& file, const ChecksummedBlock& block) {
    const uint32_t sum = hdf5_checksum({&file[block.begin], block.end - block.begin});
    std::memcpy(&file[block.end], &sum, sizeof sum);
}

}  // namespace headroom
