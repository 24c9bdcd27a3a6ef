#pragma once

#include <string>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headroom {

/// What an error number of PCRE2 means.
std::string pcre_message(int error);

struct FreeMatch {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

}  // namespace headroom
