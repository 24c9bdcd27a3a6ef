#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headroom {

/// A character of a text and its code point.
struct Utf8Character {
    size_t bytes = 0;  ///< 0: no well-formed character
    char32_t code = 0;
};

/// The character that `text` begins with, if it is well formed (RFC 3629: shortest form, no
/// surrogates, at most U+10FFFF). REQUIRES: !text.empty().
Utf8Character first_character(std::string_view text);

/// Whether a byte goes on with a character that an earlier one began.
constexpr bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// Characters of a text: every byte but those that continue one, also where it is not well formed.
size_t count_characters(std::string_view text);

/// The greatest offset of at most `most` at which a text can be cut without parting a character;
/// the text's size where that is no more.
size_t cut_between_characters(std::string_view text, size_t most);

/// Offset of the first byte that does not start a well-formed character, or npos if the whole text
/// is well formed.
size_t find_invalid_utf8(std::string_view text);

/// How many bytes at the end start a sequence that more bytes could complete; 0 to 3.
size_t incomplete_utf8_tail(std::string_view text);

/// The code point at `at`, which moves behind it. REQUIRES: well-formed text, at < text.size().
char32_t next_code_point(std::string_view text, size_t& at);

/// Appends the UTF-8 form of a code point. REQUIRES: a Unicode scalar value.
void append_utf8(std::string& text, char32_t code_point);

}  // namespace headroom
