#include "core/base/utf8.h"

#include <algorithm>

namespace headroom {
namespace {

unsigned byte_at(std::string_view text, size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Length of the sequence that starts with `lead`, or 0.
size_t length_of(unsigned lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

/// The second byte decides about overlong forms, surrogates and values above U+10FFFF.
bool second_fits(unsigned lead, unsigned second) {
    if (lead == 0xe0) return second >= 0xa0;
    if (lead == 0xed) return second < 0xa0;
    if (lead == 0xf0) return second >= 0x90;
    if (lead == 0xf4) return second < 0x90;
    return true;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
    const unsigned lead = byte_at(text, 0);
    const size_t length = length_of(lead);
    if (length == 0 || length > text.size()) return {};
    for (size_t i = 1; i < length; ++i)
        if (!continues_character(text[i])) return {};
    if (length > 1 && !second_fits(lead, byte_at(text, 1))) return {};
    size_t at = 0;
    return {length, next_code_point(text, at)};
}

size_t count_characters(std::string_view text) {
    return text.size() -
           static_cast<size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

size_t cut_between_characters(std::string_view text, size_t most) {
    if (text.size() <= most) return text.size();
    while (most > 0 && continues_character(text[most])) --most;
    return most;
}

size_t find_invalid_utf8(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        const size_t bytes = first_character(text.substr(at)).bytes;
        if (bytes == 0) return at;
        at += bytes;
    }
    return std::string_view::npos;
}

size_t incomplete_utf8_tail(std::string_view text) {
    for (size_t size = 1; size <= 3 && size <= text.size(); ++size) {
        const size_t at = text.size() - size;
        const unsigned lead = byte_at(text, at);
        if (continues_character(text[at])) continue;
        const bool begins = length_of(lead) > size;
        return begins && (size == 1 || second_fits(lead, byte_at(text, at + 1))) ? size : 0;
    }
    return 0;
}

char32_t next_code_point(std::string_view text, size_t& at) {
    const unsigned lead = byte_at(text, at++);
    if (lead < 0x80) return lead;
    const size_t length = length_of(lead);
    char32_t code_point = lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) code_point = code_point << 6 | (byte_at(text, at++) & 0x3f);
    return code_point;
}

void append_utf8(std::string& text, char32_t code_point) {
    const auto tail = [&](int shift) {
        text += static_cast<char>(0x80 | ((code_point >> shift) & 0x3f));
    };
    if (code_point < 0x80) {
        text += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        text += static_cast<char>(0xc0 | code_point >> 6);
        tail(0);
    } else if (code_point < 0x10000) {
        text += static_cast<char>(0xe0 | code_point >> 12);
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xf0 | code_point >> 18);
        tail(12), tail(6), tail(0);
    }
}

}  // namespace headroom
