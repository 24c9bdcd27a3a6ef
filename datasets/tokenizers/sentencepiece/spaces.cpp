#include "datasets/tokenizers/sentencepiece/spaces.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"

namespace headroom {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the well-formed character that `text` starts with, or 0.
size_t valid_character(std::string_view text) {
    for (size_t length = 1; length <= std::min<size_t>(4, text.size()); ++length)
        if (find_invalid_utf8(text.substr(0, length)) == std::string_view::npos) return length;
    return 0;
}

/// What the beginning of a text becomes, and how many bytes that is.
std::pair<std::string_view, size_t> first_rule(std::string_view text, const SentencePieceFile& file,
                                               const ByteTrie& kept) {
    if (const size_t length = kept.longest(text).first; length > 0)
        return {text.substr(0, length), length};
    const Charsmap::Rule rule = file.rules.longest(text);
    if (rule.length > 0) return {rule.replacement, rule.length};
    const size_t length = valid_character(text);
    if (length == 0) return {kReplacement, 1};
    return {text.substr(0, length), length};
}

}  // namespace

std::string normalize_for_pieces(std::string_view text, const SentencePieceFile& file,
                                 const ByteTrie& kept) {
    const bool removes = file.remove_extra_spaces;
    while (removes && !text.empty()) {
        const auto [replacement, length] = first_rule(text, file, kept);
        if (replacement != " ") break;
        text.remove_prefix(length);
    }
    if (text.empty()) return "";
    const std::string space(file.escape_spaces ? kSpaceMark : " ");
    std::string out;
    if (!file.space_behind && file.add_dummy_prefix) out += space;
    bool after_space = removes;
    while (!text.empty()) {
        auto [replacement, length] = first_rule(text, file, kept);
        text.remove_prefix(length);
        while (after_space && replacement.starts_with(' ')) replacement.remove_prefix(1);
        for (const char c : replacement) c == ' ' ? out += space : out += c;
        if (!replacement.empty()) after_space = replacement.back() == ' ';
        if (!removes) after_space = false;
    }
    while (removes && out.ends_with(space)) out.resize(out.size() - space.size());
    if (file.space_behind && file.add_dummy_prefix) out += space;
    return out;
}

}  // namespace headroom
