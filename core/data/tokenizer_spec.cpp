#include "core/data/tokenizer_spec.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

constexpr std::array kTokenizerKinds{
    TokenizerSpecKind{.kind = TokenizerSpec::Kind::kByte,
                      .word = "byte",
                      .form = "byte",
                      .summary = "one token for each byte; 256 in all"},
    TokenizerSpecKind{.kind = TokenizerSpec::Kind::kChar,
                      .word = "char",
                      .form = "char",
                      .summary = "one token for each character of the training text, sorted"},
    TokenizerSpecKind{.kind = TokenizerSpec::Kind::kGpt2,
                      .word = "gpt2",
                      .form = "gpt2:FOLDER",
                      .summary = "GPT-2's byte pairs, from encoder.json and vocab.bpe in FOLDER",
                      .names_path = true},
    TokenizerSpecKind{.kind = TokenizerSpec::Kind::kJson,
                      .word = "json",
                      .form = "json:FILE",
                      .summary = "a Hugging Face tokenizer.json: GPT-2, Llama, Mistral, Qwen, "
                                 "Pythia, T5, ...",
                      .names_path = true},
    TokenizerSpecKind{.kind = TokenizerSpec::Kind::kSentencePiece,
                      .word = "sp",
                      .form = "sp:FILE",
                      .summary = "a SentencePiece .model: unigram, bpe or char",
                      .names_path = true},
};

}  // namespace

std::span<const TokenizerSpecKind> tokenizer_spec_kinds() {
    return kTokenizerKinds;
}

std::string tokenizer_forms(bool with_char) {
    std::string text;
    for (const TokenizerSpecKind& kind : kTokenizerKinds) {
        if (kind.kind == TokenizerSpec::Kind::kChar && !with_char) continue;
        const bool last = kind.kind == kTokenizerKinds.back().kind;
        text += fmt::format("{}{}", text.empty() ? "" : last ? " or " : ", ", kind.form);
    }
    return text;
}

TokenizerSpec parse_tokenizer_spec(const std::string& text) {
    const size_t colon = text.find(':');
    const std::string word = text.substr(0, colon);
    std::vector<std::string> known;
    for (const TokenizerSpecKind& kind : kTokenizerKinds) {
        known.emplace_back(kind.word);
        if (word != kind.word) continue;
        const bool has_path = colon != std::string::npos && colon + 1 < text.size();
        if (kind.names_path && !has_path)
            throw UserError(fmt::format("data.tokenizer = {} names no path", shown(text)),
                            fmt::format("write {}", kind.form));
        if (!kind.names_path && colon != std::string::npos) break;
        return {kind.kind, kind.names_path ? text.substr(colon + 1) : ""};
    }
    throw UserError(
        fmt::format("data.tokenizer = {} is not known{}", shown(text), suggestion(word, known)),
        "write " + tokenizer_forms());
}

}  // namespace headroom
