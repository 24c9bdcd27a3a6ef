#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/byte_trie.h"
#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/pipeline/normalizer.h"

namespace headroom {

/// An entry of added_tokens: a text that is one token wherever it stands.
struct AddedToken {
    std::string content;
    int32_t id = -1;
    bool special = false;      ///< in ordinary text it is text like any other
    bool normalized = false;   ///< looked for after normalisation, in its normalised form
    bool single_word = false;  ///< not where letters stand next to it
    bool lstrip = false, rstrip = false;  ///< takes the white space before or behind it
};

/// Reads the list of a tokenizer.json. UserError for ids or contents that are impossible.
std::vector<AddedToken> read_added_tokens(const JsonPart& file);

/// Finds added tokens as Hugging Face's AddedVocabulary does: leftmost, then longest.
class AddedTokens {
  public:
    AddedTokens() = default;
    AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

    /// Calls `part(text, id, starts_text)` for the parts of `text` in turn: id -1 is text between.
    using Part = std::function<void(std::string_view text, int32_t id, bool starts_text)>;
    void split_raw(std::string_view text, bool with_special, const Part& part) const {
        split(raw_, text, with_special, part);
    }
    void split_normalized(std::string_view text, bool with_special, const Part& part) const {
        split(normalized_, text, with_special, part);
    }
    const std::vector<AddedToken>& all() const { return tokens_; }

  private:
    void split(const ByteTrie& trie, std::string_view text, bool with_special,
               const Part& part) const;

    std::vector<AddedToken> tokens_;
    ByteTrie raw_, normalized_;  ///< values are places in tokens_
};

}  // namespace headroom
