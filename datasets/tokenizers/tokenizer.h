#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// Text to token ids and back. Immutable, so that several threads may use one.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    /// The spelling of job files: byte, char, gpt2:FOLDER or json:FILE.
    virtual std::string name() const = 0;
    /// Every id is in [0, vocab_size).
    virtual int64_t vocab_size() const = 0;
    /// Encodes ordinary text; a special token spelled out in it is text like any other.
    /// Throws UserError for text that has no encoding (see each tokenizer).
    virtual std::vector<int32_t> encode(std::string_view text) const = 0;
    /// The bytes of each token in turn; may cut a UTF-8 sequence. Throws UserError for an id
    /// outside the vocabulary.
    virtual std::string decode(std::span<const int32_t> ids) const = 0;
    /// Tokens that encode never makes, by spelling.
    virtual std::map<std::string, int32_t> special_tokens() const { return {}; }
    /// What a checkpoint keeps: {"kind": ..., ...}.
    virtual nlohmann::json to_json() const = 0;
};

/// Opens a tokenizer by its spelling in job files; `training_text` is what char takes its
/// vocabulary from. Throws UserError for an unknown spelling or a bad vocabulary file.
std::unique_ptr<Tokenizer> open_tokenizer(const std::string& spec, std::string_view training_text);

/// The token that ends a document, or -1 where the tokenizer has none.
int32_t end_of_text(const Tokenizer& tokenizer);

// The tokenizers. To add one: write its source file here and a line in open_tokenizer.

/// 256 tokens, one for each byte; takes any text.
std::unique_ptr<Tokenizer> make_byte_tokenizer();

}  // namespace headroom
