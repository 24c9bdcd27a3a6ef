#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace headroom {

/// Cuts text into the pieces that GPT-2's byte-pair encoding never merges across: contractions,
/// and letters, digits or other marks with at most one space before them, and white space.
/// The pattern is the one of GPT-2's encoder.py. May be used by several threads at once.
class Gpt2Splitter {
  public:
    Gpt2Splitter();
    ~Gpt2Splitter();

    /// Calls `piece` for each piece in turn; together they are the text.
    /// REQUIRES: well-formed UTF-8.
    void split(std::string_view text, const std::function<void(std::string_view)>& piece) const;

  private:
    struct Code;
    std::unique_ptr<Code> code_;
};

}  // namespace headroom
