#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/tokenizers/pipeline/json_part.h"

namespace headroom {

/// The decoder of a tokenizer.json: ByteLevel, Replace, ByteFallback, Metaspace, Fuse, Strip,
/// Sequence. Immutable.
class TokenDecoder {
  public:
    /// Spellings are the text.
    TokenDecoder() = default;
    /// UserError for one that is not read here.
    explicit TokenDecoder(const JsonPart& part);

    /// The bytes that a spelling stands for, wherever it stands.
    std::string bytes_of(const std::string& spelling) const;
    /// Whether one space that the tokenizer has put before a text is taken off again.
    bool strips_first_space() const { return strips_first_space_; }

  private:
    void add(const JsonPart& part, int depth);
    void add_strip(const JsonPart& part);

    bool byte_level_ = false, byte_fallback_ = false, strips_first_space_ = false;
    std::vector<std::pair<std::string, std::string>> replacements_;
};

}  // namespace headroom
