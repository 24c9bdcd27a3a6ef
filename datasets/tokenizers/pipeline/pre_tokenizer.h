#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/text_pattern.h"

namespace headroom {

/// The pre_tokenizer of a tokenizer.json, which cuts text into pieces that no token crosses: Split,
/// ByteLevel, Metaspace, Digits, Punctuation, Whitespace, WhitespaceSplit, CharDelimiterSplit,
/// Sequence. Immutable.
class PreTokenizer {
  public:
    /// Nothing is cut.
    PreTokenizer() = default;
    /// UserError for one that is not read here.
    explicit PreTokenizer(const JsonPart& part);

    using Piece = std::function<void(std::string_view)>;
    /// Calls `piece` for every piece in turn; none is empty. `starts_text`: nothing stands before.
    void split(std::string_view text, bool starts_text, const Piece& piece) const {
        run(0, text, starts_text, piece);
    }

    /// The model sees bytes, each as the character that GPT-2 spells it with.
    bool is_byte_level() const { return byte_level_; }

    /// What becomes of the matches of a Split.
    enum class Behavior { kRemoved, kIsolated, kWithPrevious, kWithNext, kContiguous };

  private:
    using Pieces = std::function<void(std::string_view, bool starts_text)>;
    using Step = std::function<void(std::string_view, bool starts_text, const Pieces&)>;

    void add(const JsonPart& part, int depth);
    void add_split(TextPattern pattern, Behavior behavior, bool invert);
    void add_byte_level(const JsonPart& part);
    void add_metaspace(const JsonPart& part);
    void run(size_t step, std::string_view text, bool starts_text, const Piece& piece) const;

    std::vector<Step> steps_;
    bool byte_level_ = false;
};

}  // namespace headroom
