#include "datasets/tokenizers/tokenizer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/utf8.h"
#include "core/data/tokenizer_spec.h"

namespace headroom {
namespace {

/// The string at `key`, or "" where there is none.
std::string text_at(const nlohmann::json& object, const char* key) {
    if (!object.is_object()) return "";
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The special token that starts at the front of `text`, longest first; nullptr if none does.
const std::pair<const std::string, int32_t>* special_at(
    std::string_view text, const std::map<std::string, int32_t>& special) {
    const std::pair<const std::string, int32_t>* best = nullptr;
    for (const auto& token : special) {
        const bool here = text.substr(0, token.first.size()) == token.first;
        if (here && (best == nullptr || token.first.size() > best->first.size())) best = &token;
    }
    return best;
}

}  // namespace

std::unique_ptr<Tokenizer> open_tokenizer(const std::string& spec, std::string_view training_text) {
    const TokenizerSpec asked = parse_tokenizer_spec(spec);
    switch (asked.kind) {
        case TokenizerSpec::Kind::kByte:
            return make_byte_tokenizer();
        case TokenizerSpec::Kind::kChar:
            return make_char_tokenizer(training_text);
        case TokenizerSpec::Kind::kGpt2:
            return make_gpt2_tokenizer(asked.path);
        case TokenizerSpec::Kind::kJson:
            return make_json_tokenizer(asked.path);
        case TokenizerSpec::Kind::kSentencePiece:
            return make_sentencepiece_tokenizer(asked.path);
    }
    CHECK(false, "no such kind of tokenizer");
}

std::unique_ptr<Tokenizer> tokenizer_from_json(const nlohmann::json& description) {
    const std::string kind = text_at(description, "kind");
    if (kind == "byte") return make_byte_tokenizer();
    if (kind == "char") return make_char_tokenizer(text_at(description, "characters"));
    if (kind != "bpe" && kind != "tokenizer_json" && kind != "sentencepiece")
        throw UserError(fmt::format("{} describes no tokenizer", shown(description)),
                        "expect what a checkpoint of this program holds");
    const std::string spec = text_at(description, "spec");
    std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(spec, "");
    const nlohmann::json found = tokenizer->to_json();
    // Before tokenizer.json was read whole, its vocabulary was described as GPT-2's is.
    const bool older = kind == "bpe" && spec.starts_with("json:") &&
                       description.value("vocab_size", nlohmann::json()) == found["vocab_size"];
    if (found != description && !older)
        throw UserError(fmt::format("tokenizer {} is not the one that was trained with", spec),
                        "bring back its vocabulary files");
    return tokenizer;
}

bool is_same_vocabulary(const Tokenizer& a, const Tokenizer& b) {
    if (a.to_json() == b.to_json()) return true;
    int64_t known = 0, same = 0;
    const auto ids = static_cast<int32_t>(std::min(a.vocab_size(), b.vocab_size()));
    for (int32_t id = 0; id < ids; ++id) {
        if (!a.knows(id) || !b.knows(id)) continue;
        ++known;
        same += a.decode({&id, 1}) == b.decode({&id, 1});
    }
    // An alphabet has no few tokens that a later version renamed: one letter is another text.
    const bool is_alphabet = a.name() == "char" && b.name() == "char";
    return is_alphabet ? same == known : 10 * same >= 9 * known;
}

int32_t end_of_text(const Tokenizer& tokenizer) {
    const std::map<std::string, int32_t> special = tokenizer.special_tokens();
    for (const char* spelling : {"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"})
        if (const auto found = special.find(spelling); found != special.end()) return found->second;
    return -1;
}

std::vector<int32_t> Tokenizer::encode_special(std::string_view text) const {
    const std::map<std::string, int32_t> special = special_tokens();
    std::vector<int32_t> ids;
    const auto add_ordinary = [&](std::string_view part) {
        const std::vector<int32_t> more = encode(part);
        ids.insert(ids.end(), more.begin(), more.end());
    };
    size_t start = 0, at = 0;
    while (at < text.size()) {
        const auto* token = special_at(text.substr(at), special);
        if (token == nullptr) {
            ++at;
            continue;
        }
        add_ordinary(text.substr(start, at - start));
        ids.push_back(token->second);
        start = at += token->first.size();
    }
    add_ordinary(text.substr(start));
    return ids;
}

std::vector<int32_t> tokens_to_read(const Tokenizer& tokenizer, std::string_view text) {
    std::vector<int32_t> ids = tokenizer.encode_special(text);
    const std::vector<int32_t> before = tokenizer.tokens_before();
    const bool spelled =
        before.size() <= ids.size() && std::equal(before.begin(), before.end(), ids.begin());
    if (!spelled) ids.insert(ids.begin(), before.begin(), before.end());
    return ids;
}

void check_utf8(std::string_view text, std::string_view tokenizer_name) {
    const size_t at = find_invalid_utf8(text);
    if (at == std::string_view::npos) return;
    throw UserError(fmt::format("byte {} of the text is not UTF-8, which the tokenizer {} needs",
                                at, tokenizer_name),
                    "convert the text to UTF-8 or use the byte tokenizer");
}

}  // namespace headroom
