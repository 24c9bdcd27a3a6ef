#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headroom {

/// Offset of the first byte that does not start a well-formed UTF-8 sequence (RFC 3629: shortest
/// form, no surrogates, at most U+10FFFF), or npos if the whole text is well formed.
size_t find_invalid_utf8(std::string_view text);

/// How many bytes at the end start a sequence that more bytes could complete; 0 to 3.
size_t incomplete_utf8_tail(std::string_view text);

/// The code point at `at`, which moves behind it. REQUIRES: well-formed text, at < text.size().
char32_t next_code_point(std::string_view text, size_t& at);

/// Appends the UTF-8 form of a code point. REQUIRES: a Unicode scalar value.
void append_utf8(std::string& text, char32_t code_point);

}  // namespace headroom
