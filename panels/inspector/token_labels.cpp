#include "panels/inspector/token_labels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr size_t kLabelLetters = 10;

/// Bytes of the UTF-8 character that starts here; 1 for what is none.
size_t character_size(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t size = lead < 0x80       ? 1
                        : lead >> 5 == 6  ? 2
                        : lead >> 4 == 14 ? 3
                        : lead >> 3 == 30 ? 4
                                          : 0;
    if (size == 0 || size > text.size()) return 0;
    for (size_t i = 1; i < size; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    return size;
}

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
        const size_t size = character_size(piece);
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
        const auto letters = static_cast<size_t>(
            std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
        longest = std::max(longest, letters);
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
