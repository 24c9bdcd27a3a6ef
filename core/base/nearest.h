#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// Levenshtein distance in characters, with a swap of two neighbours counted as one edit.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or "" if none is near enough to be a likely misspelling
/// (more than a third of the longer word would have to change).
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `; did you mean "x"?` for the nearest candidate, otherwise `; known: a, b, c`; "" where there
/// are none.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace headroom
