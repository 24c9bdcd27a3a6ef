#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headroom {

/// A text from outside (a name, a message) as a terminal, a picture or a table may show it: valid
/// UTF-8 without control characters, among them those that turn the direction of
/// writing. Those are written out (\n, \x1b), bytes that are no UTF-8
/// become U+FFFD, and what is longer than `most` bytes ends in "..." at a whole character.
std::string printable(std::string_view text, size_t most = std::string_view::npos);

/// The same of a text of several lines: line breaks and tabs stay as they are.
std::string printable_lines(std::string_view text);

}  // namespace headroom
