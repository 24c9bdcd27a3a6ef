#include "core/base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The length of the character that `text` begins with and its code point; length 0 for bytes that
/// are no UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates).
struct Character {
    size_t bytes = 0;
    uint32_t code = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {1, byte(0)};
    const size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
    if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
    uint32_t code = byte(0) & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return {};
        code = code << 6U | (byte(i) & 0x3FU);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
    return {bytes, code};
}

std::string escaped(uint32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return fmt::format("\\x{:02x}", code);
}

/// C0, DEL and C1, what turns the direction of writing, and the two that XML forbids.
bool is_control(uint32_t code) {
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || turns || code == 0xFFFE ||
           code == 0xFFFF;
}

}  // namespace

std::string printable(std::string_view text, size_t most) {
    std::string out;
    size_t cut = 0;  // the longest beginning that leaves room for the dots
    while (!text.empty()) {
        const Character next = first_character(text);
        if (out.size() + 3 <= most) cut = out.size();
        if (next.bytes == 0)
            out += kReplacement;
        else if (is_control(next.code))
            out += escaped(next.code);
        else
            out += text.substr(0, next.bytes);
        text.remove_prefix(std::max<size_t>(next.bytes, 1));
        if (out.size() > most) return out.substr(0, cut) + "...";
    }
    return out;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t kept = text.find_first_of("\n\t");
        out += printable(text.substr(0, kept));
        if (kept == std::string_view::npos) break;
        out += text[kept];
        text.remove_prefix(kept + 1);
    }
    return out;
}

}  // namespace headroom
