#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace headroom {

/// A regular expression as tokenizer.json spells it, in Oniguruma's Ruby syntax over Unicode, or a
/// plain text to look for. Expressions are translated to PCRE2; what the two read differently (such
/// as \s, \w, \v, ^, a script's name) is written out, and what cannot be is refused. May be used by
/// several threads at once.
class TextPattern {
  public:
    using Found = std::function<void(size_t start, size_t end)>;

    /// UserError, which names `source`, for an expression that is wrong or is not read here.
    static TextPattern regex(const std::string& expression, const std::string& source);
    /// REQUIRES: not empty.
    static TextPattern literal(std::string text);

    /// Unicode's extended grapheme clusters (Annex 29), as PCRE2 knows them.
    static TextPattern grapheme_clusters();

    /// Every match in turn, leftmost first, none over another; empty ones too.
    /// REQUIRES: well-formed UTF-8. UserError if the expression gives up on the text.
    void find_all(std::string_view text, const Found& found) const;

  private:
    struct Code;

    TextPattern() = default;
    void find_literal(std::string_view text, const Found& found) const;

    std::string text_;  ///< the literal, or the expression for messages
    std::shared_ptr<const Code> code_;
};

/// What Rust's regex crate, whose \w is another than Oniguruma's, calls a word character, as it
/// stands in the brackets of an expression: also the two joiners.
std::string rust_word_characters();

/// The translation, for tests: the expression in PCRE2's syntax. UserError naming `source`.
std::string pcre_of_oniguruma(const std::string& expression, const std::string& source);

}  // namespace headroom
