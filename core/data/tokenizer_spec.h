#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// What data.tokenizer says, taken apart: a word alone, or WORD:PATH.
struct TokenizerSpec {
    enum class Kind { kByte, kChar, kGpt2, kJson, kSentencePiece };

    Kind kind = Kind::kByte;
    std::string path;  ///< "" of byte and char
};

/// What may be written there. To add one: a line here, and one in open_tokenizer.
struct TokenizerSpecKind {
    TokenizerSpec::Kind kind;
    std::string_view word;     ///< before the colon
    std::string_view form;     ///< for people: "gpt2:FOLDER"
    std::string_view summary;  ///< one line
    bool names_path = false;
};
std::span<const TokenizerSpecKind> tokenizer_spec_kinds();

/// "byte, char, gpt2:FOLDER, json:FILE or sp:FILE"; char needs a text for its alphabet, so that
/// some commands do without.
std::string tokenizer_forms(bool with_char = true);

/// UserError naming data.tokenizer for anything else.
TokenizerSpec parse_tokenizer_spec(const std::string& text);

}  // namespace headroom
