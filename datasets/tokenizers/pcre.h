#pragma once

#include <string>
#include <string_view>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headroom {

/// Unicode's White_Space as it stands in brackets; PCRE2's own \s lacks U+0085 or has U+180E, which
/// lost the property in Unicode 6.3, depending on its version.
inline constexpr std::string_view kWhiteSpace =
    R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

/// What an error number of PCRE2 means.
std::string pcre_message(int error);

struct FreeMatch {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

}  // namespace headroom
