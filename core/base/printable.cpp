#include "core/base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/base/utf8.h"

namespace headroom {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

std::string escaped(char32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return fmt::format("\\x{:02x}", static_cast<uint32_t>(code));
}

/// C0, DEL and C1, what turns the direction of writing, and the two that XML forbids.
bool is_control(char32_t code) {
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || turns || code == 0xFFFE ||
           code == 0xFFFF;
}

}  // namespace

std::string printable(std::string_view text, size_t most) {
    std::string out;
    size_t cut = 0;  // the longest beginning that leaves room for the dots
    while (!text.empty()) {
        const Utf8Character next = first_character(text);
        if (out.size() + 3 <= most) cut = out.size();
        if (next.bytes == 0)
            out += kReplacementCharacter;
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
