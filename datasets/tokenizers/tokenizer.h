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

/// Of a vocabulary: far above any in use, far below what would hurt.
inline constexpr int64_t kMostTokens = 1 << 20;

/// Text to token ids and back. Immutable, so that several threads may use one.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    /// The spelling of job files: byte, char, gpt2:FOLDER, json:FILE or sp:FILE.
    virtual std::string name() const = 0;
    /// Every id is in [0, vocab_size).
    virtual int64_t vocab_size() const = 0;
    /// Whether an id stands for a token: below vocab_size() there may be gaps.
    virtual bool knows(int32_t id) const { return id >= 0 && id < vocab_size(); }
    /// Encodes ordinary text; a special token spelled out in it is text like any other.
    /// Throws UserError for text that has no encoding (see each tokenizer).
    virtual std::vector<int32_t> encode(std::string_view text) const = 0;
    /// Encodes text in which special tokens may be spelled out: each stands for itself, and the
    /// text between is encoded as usual. The longest one counts where several begin.
    virtual std::vector<int32_t> encode_special(std::string_view text) const;
    /// The bytes of each token in turn; may cut a UTF-8 sequence. Throws UserError for an id that
    /// it does not know.
    virtual std::string decode(std::span<const int32_t> ids) const = 0;
    /// decode() of the tokens of a whole text, without the space that some tokenizers put before
    /// one.
    virtual std::string decode_text(std::span<const int32_t> ids) const { return decode(ids); }
    /// What stands before and behind the tokens of a text that a model is to read, such as <s>.
    virtual std::vector<int32_t> tokens_before() const { return {}; }
    virtual std::vector<int32_t> tokens_behind() const { return {}; }
    /// Tokens that encode never makes, by spelling.
    virtual std::map<std::string, int32_t> special_tokens() const { return {}; }
    /// What a checkpoint keeps: {"kind": ..., ...}.
    virtual nlohmann::json to_json() const = 0;
};

/// Opens a tokenizer by its spelling in job files; `training_text` is what char takes its
/// vocabulary from. Throws UserError for an unknown spelling or a bad vocabulary file.
std::unique_ptr<Tokenizer> open_tokenizer(const std::string& spec, std::string_view training_text);

/// Opens what to_json described. Throws UserError if it describes nothing known, or if the
/// vocabulary file that it names is not the same any more.
std::unique_ptr<Tokenizer> tokenizer_from_json(const nlohmann::json& description);

/// Whether ids mean the same to both: nine of ten that both know stand for the same bytes. So do
/// those of one vocabulary that is read from different files, or that was extended. Of two
/// alphabets (char) all must.
bool is_same_vocabulary(const Tokenizer& a, const Tokenizer& b);

/// The token that ends a document, or -1 where the tokenizer has none.
int32_t end_of_text(const Tokenizer& tokenizer);

/// What a model is to read for `text`: the tokens before a text, unless the text spells them, and
/// its own, special ones spelled out or not. Nothing stands behind, so that it can be continued.
std::vector<int32_t> tokens_to_read(const Tokenizer& tokenizer, std::string_view text);

/// Throws UserError if `text` is not well-formed UTF-8, which `tokenizer_name` needs.
void check_utf8(std::string_view text, std::string_view tokenizer_name);

// The tokenizers. To add one: write its source file here, a line in open_tokenizer, and what it is
// called in core/data/tokenizer_spec.cpp.

/// 256 tokens, one for each byte; takes any text.
std::unique_ptr<Tokenizer> make_byte_tokenizer();
/// One token for each distinct code point of `text`, in ascending order, as nanoGPT's
/// shakespeare_char.
std::unique_ptr<Tokenizer> make_char_tokenizer(std::string_view text);
/// GPT-2's byte-pair encoding from a folder with encoder.json and vocab.bpe.
std::unique_ptr<Tokenizer> make_gpt2_tokenizer(const std::string& folder);
/// What a Hugging Face tokenizer.json describes: BPE or Unigram with its normalizer, pre_tokenizer,
/// added tokens, post_processor and decoder (pipeline/). UserError for what is not read.
std::unique_ptr<Tokenizer> make_json_tokenizer(const std::string& path);
/// A SentencePiece .model file.
std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& path);

}  // namespace headroom
