#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// What cuts a piece of text into the tokens of a vocabulary: the "model" of a tokenizer.json.
/// Immutable.
class PieceModel {
  public:
    virtual ~PieceModel() = default;

    /// Appends the tokens of `piece`, which is well-formed UTF-8 and not empty.
    virtual void encode(std::string_view piece, std::vector<int32_t>& ids) const = 0;
    /// The vocabulary: what each id is spelled as in the file, "" for an id that is not used.
    virtual const std::vector<std::string>& spellings() const = 0;
};

}  // namespace headroom
