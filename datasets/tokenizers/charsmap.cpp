#include "datasets/tokenizers/charsmap.h"

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace headroom {
namespace {

uint32_t word_at(std::string_view bytes, size_t at) {
    uint32_t word = 0;
    for (size_t b = 0; b < 4; ++b)
        word |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + b])) << (8 * b);
    return word;
}

// A unit of the double array (darts.h, DoubleArrayUnit).
bool has_leaf(uint32_t unit) {
    return (unit >> 8 & 1) == 1;
}
uint32_t label(uint32_t unit) {
    return unit & (0x80000000u | 0xffu);
}
size_t offset(uint32_t unit) {
    return static_cast<size_t>(unit >> 10) << ((unit & (1u << 9)) >> 6);
}
size_t value(uint32_t unit) {
    return unit & 0x7fffffffu;
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const std::string& source) {
    if (bytes.empty()) return;
    const auto refuse = [&](const char* what) {
        throw UserError(source + ": its character map " + what, "take the file from its source");
    };
    if (bytes.size() < 8) refuse("is cut off");
    const size_t size = word_at(bytes, 0);
    if (size % 4 != 0 || size == 0 || size > bytes.size() - 4) refuse("is cut off");
    units_.reserve(size / 4);
    for (size_t at = 0; at < size; at += 4) units_.push_back(word_at(bytes, 4 + at));
    replacements_ = bytes.substr(4 + size);
    if (replacements_.empty() || replacements_.back() != '\0') replacements_ += '\0';
    if (find_invalid_utf8(replacements_) != std::string::npos) refuse("is not UTF-8");
}

Charsmap::Rule Charsmap::find(std::string_view text, bool stop_at_first) const {
    Rule best;
    size_t node = units_.empty() ? 0 : offset(units_[0]);
    for (size_t i = 0; !units_.empty() && i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        node ^= byte;
        const uint32_t here = unit(node);
        if (byte == 0 || label(here) != byte) break;
        node ^= offset(here);
        if (!has_leaf(here)) continue;
        const size_t start = value(unit(node));
        const bool inside = start < replacements_.size() && (replacements_[start] & 0xc0) != 0x80;
        if (!inside) continue;  // would lead out of the map, or into a character
        const size_t end = replacements_.find('\0', start);
        best = {i + 1, std::string_view(replacements_).substr(start, end - start)};
        if (stop_at_first) break;
    }
    return best;
}

}  // namespace headroom
