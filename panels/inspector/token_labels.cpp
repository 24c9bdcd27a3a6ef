#include "panels/inspector/token_labels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/utf8.h"

namespace headroom {
namespace {

constexpr size_t kLabelLetters = 10;

std::string shown_character(std::string_view character) {
    if (character == " ") return "\u00b7";
    if (character == "\n") return "\u21b5";
    if (character == "\t") return "\u2192";
    const auto byte = static_cast<unsigned char>(character[0]);
    if (byte < 0x20 || byte == 0x7f) return fmt::format("\\x{:02x}", byte);
    return std::string(character);
}

}  // namespace

std::string token_text(std::string_view piece, size_t most) {
    if (piece.empty()) return "\u2205";
    std::string text;
    size_t count = 0;
    while (!piece.empty()) {
        if (count++ == most) return text + "\u2026";
        const size_t size = first_character(piece).bytes;
        text += size == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(piece[0]))
                          : shown_character(piece.substr(0, size));
        piece.remove_prefix(std::max<size_t>(1, size));
    }
    return text;
}

size_t longest_label(const std::vector<std::string>& tokens) {
    size_t longest = 0;
    for (const std::string& token : tokens) {
        const std::string text = token_text(token, kLabelLetters);
        longest = std::max(longest, count_characters(text));
    }
    return longest + 1 + std::to_string(tokens.size()).size();
}

std::vector<TokenLabel> axis_labels(const std::vector<std::string>& tokens, double first,
                                    double last, double pixels_per_token, double line_pixels) {
    int64_t step = 1;
    for (const int64_t next : {2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000}) {
        if (static_cast<double>(step) * pixels_per_token >= line_pixels) break;
        step = next;
    }
    const auto count = static_cast<int64_t>(tokens.size());
    const auto from = std::max<int64_t>(0, static_cast<int64_t>(std::floor(first)));
    const auto to = std::min(count, static_cast<int64_t>(std::ceil(last)));
    std::vector<TokenLabel> labels;
    for (int64_t i = (from + step - 1) / step * step; i < to; i += step) {
        const std::string text = token_text(tokens[static_cast<size_t>(i)], kLabelLetters);
        labels.push_back({i, step == 1 ? text : fmt::format("{} {}", i, text)});
    }
    return labels;
}

}  // namespace headroom
