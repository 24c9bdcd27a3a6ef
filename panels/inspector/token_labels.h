#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A token as it is written on an axis: blanks and line ends made visible, control characters
/// escaped, at most `most` characters.
std::string token_text(std::string_view piece, size_t most = 16);

/// Letters of an axis' longest label, position included.
size_t longest_label(const std::vector<std::string>& tokens);

struct TokenLabel {
    int64_t position = 0;
    std::string text;
};

/// The labels of an axis that shows tokens [first, last) at so many pixels each: all of them where
/// a line of `line_pixels` fits, else positions in round steps with their token.
std::vector<TokenLabel> axis_labels(const std::vector<std::string>& tokens, double first,
                                    double last, double pixels_per_token, double line_pixels);

}  // namespace headroom
