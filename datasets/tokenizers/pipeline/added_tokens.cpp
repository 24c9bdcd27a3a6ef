#include "datasets/tokenizers/pipeline/added_tokens.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "datasets/text/white_space.h"
#include "datasets/tokenizers/pipeline/piece_model.h"
#include "datasets/tokenizers/text_pattern.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

bool is_word_character(std::string_view character) {
    static const TextPattern word =
        TextPattern::regex("[" + rust_word_characters() + "]", "word characters");
    bool found = false;
    word.find_all(character, [&](size_t, size_t) { found = true; });
    return found;
}

size_t start_of_last_character(std::string_view text) {
    size_t at = text.size();
    while (at > 0 && continues_character(text[--at])) continue;
    return at;
}

bool stands_alone(std::string_view text, size_t start, size_t end) {
    const std::string_view before = text.substr(0, start), behind = text.substr(end);
    if (!before.empty() && is_word_character(before.substr(start_of_last_character(before))))
        return false;
    if (behind.empty()) return true;
    size_t length = 0;
    next_code_point(behind, length);
    return !is_word_character(behind.substr(0, length));
}

size_t start_with_white_space(std::string_view text, size_t start) {
    while (start > 0) {
        const size_t previous = start_of_last_character(text.substr(0, start));
        size_t at = previous;
        if (!is_white_space(next_code_point(text, at))) break;
        start = previous;
    }
    return start;
}

size_t end_with_white_space(std::string_view text, size_t end) {
    while (end < text.size()) {
        size_t next = end;
        if (!is_white_space(next_code_point(text, next))) break;
        end = next;
    }
    return end;
}

ByteTrie trie_of(const std::vector<AddedToken>& tokens, bool normalized,
                 const Normalizer& normalizer) {
    std::vector<std::string> spellings;
    std::vector<int32_t> places;
    std::set<std::string> seen;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].normalized != normalized) continue;
        std::string spelling = tokens[i].content;
        if (normalized) spelling = normalizer.apply(spelling);
        if (spelling.empty() || !seen.insert(spelling).second) continue;
        spellings.push_back(std::move(spelling));
        places.push_back(static_cast<int32_t>(i));
    }
    std::vector<std::pair<std::string_view, int32_t>> keys;
    for (size_t i = 0; i < spellings.size(); ++i) keys.emplace_back(spellings[i], places[i]);
    return ByteTrie(std::move(keys));
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const JsonPart& file) {
    std::vector<AddedToken> tokens;
    std::set<std::string> seen;
    for (const JsonPart& part : file.parts("added_tokens")) {
        const int64_t id = part.number("id", -1);
        AddedToken token;
        token.content = part.text("content");
        if (id < 0 || id >= kMostTokens || token.content.empty())
            part.refuse(fmt::format("an added token has the id {} and the content \"{}\"", id,
                                    token.content),
                        "expect {\"id\": 50256, \"content\": \"<|endoftext|>\"}");
        if (!seen.insert(token.content).second)
            part.refuse(fmt::format("added token \"{}\" stands there twice", token.content),
                        "keep one of them");
        token.id = static_cast<int32_t>(id);
        token.special = part.flag("special", false);
        token.normalized = part.flag("normalized", !token.special);
        token.single_word = part.flag("single_word", false);
        token.lstrip = part.flag("lstrip", false);
        token.rstrip = part.flag("rstrip", false);
        tokens.push_back(std::move(token));
    }
    return tokens;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer)
    : tokens_(std::move(tokens)) {
    // Of two that look the same, the special one counts.
    std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
        return a.special && !b.special;
    });
    raw_ = trie_of(tokens_, false, normalizer);
    normalized_ = trie_of(tokens_, true, normalizer);
}

void AddedTokens::split(const ByteTrie& trie, std::string_view text, bool with_special,
                        const Part& part) const {
    size_t done = 0;
    for (size_t at = 0; at < text.size() && !trie.empty();) {
        const auto [length, place] = trie.longest(text.substr(at));
        if (length == 0) {
            ++at;
            continue;
        }
        const AddedToken& token = tokens_[static_cast<size_t>(place)];
        size_t start = at, end = at + length;
        at = end;
        if (token.special && !with_special) continue;
        if (token.single_word && !stands_alone(text, start, end)) continue;
        if (token.lstrip) start = std::max(start_with_white_space(text, start), done);
        if (token.rstrip) end = end_with_white_space(text, end);
        if (start < done) continue;  // what stood before has taken its first character
        if (done < start) part(text.substr(done, start - done), -1, done == 0);
        part(text.substr(start, end - start), token.id, start == 0);
        done = end;
    }
    if (done < text.size()) part(text.substr(done), -1, done == 0);
}

}  // namespace headroom
