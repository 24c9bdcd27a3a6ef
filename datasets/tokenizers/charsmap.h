#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom {

/// SentencePiece's compiled normalisation rules (normalizer.cc, DecodePrecompiledCharsMap): the
/// byte count of a double array (Yata's darts-clone) as little-endian uint32, the array, and the
/// replacements as C strings. An empty one has no rules.
class Charsmap {
  public:
    Charsmap() = default;
    /// UserError naming `source` for a map that is cut off or leads out of itself.
    Charsmap(std::string_view bytes, const std::string& source);

    struct Rule {
        size_t length = 0;  ///< bytes that it replaces; 0: no rule fits
        std::string_view replacement;
    };
    /// The rule for the longest, or the shortest, beginning of `text`.
    Rule longest(std::string_view text) const { return find(text, false); }
    Rule shortest(std::string_view text) const { return find(text, true); }
    bool empty() const { return units_.empty(); }

  private:
    Rule find(std::string_view text, bool stop_at_first) const;
    /// The unit, or one that no label fits.
    uint32_t unit(size_t at) const { return at < units_.size() ? units_[at] : 0x80000000u; }

    std::vector<uint32_t> units_;
    std::string replacements_;
};

}  // namespace headroom
