#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/formats/token_stream.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// Appends documents to a file of tokens one by one, as encode_documents joins them: each followed
/// by the end-of-text token, or, of a tokenizer without one, with a newline between two of them.
class DocumentJoiner {
  public:
    /// The tokenizer must outlive this. `line_is_open`: see line_is_open().
    explicit DocumentJoiner(const Tokenizer& tokenizer, bool line_is_open = false)
        : tokenizer_(tokenizer), end_(end_of_text(tokenizer)), line_is_open_(line_is_open) {}

    /// `ids` are those of `text`. How many tokens were appended.
    int64_t append(TokenStream& stream, std::string_view text, const std::vector<int32_t>& ids) {
        const int64_t before = tokens_;
        if (end_ < 0 && line_is_open_) {
            if (newline_.empty()) newline_ = tokenizer_.encode("\n");
            append(stream, newline_);
        }
        append(stream, ids);
        if (end_ >= 0) append(stream, {end_});
        line_is_open_ = end_ < 0 && !text.ends_with('\n');
        return tokens_ - before;
    }

    /// Whether a document that follows needs a newline first: to go on with later.
    bool line_is_open() const { return line_is_open_; }

  private:
    void append(TokenStream& stream, const std::vector<int32_t>& ids) {
        stream.append(ids);
        tokens_ += static_cast<int64_t>(ids.size());
    }

    const Tokenizer& tokenizer_;
    int32_t end_;
    bool line_is_open_;
    std::vector<int32_t> newline_;
    int64_t tokens_ = 0;
};

}  // namespace headroom
