#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace headroom {

/// Prints to standard error what no work may fail for: notes, warnings, how far it is. What cannot
/// be written, because the disk is full or the terminal has gone, is lost.
template <class... Values>
void eprint(fmt::format_string<Values...> format, Values&&... values) {
    const std::string text = fmt::format(format, std::forward<Values>(values)...);
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace headroom
