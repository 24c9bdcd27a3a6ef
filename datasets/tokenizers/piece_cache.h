#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headroom {

/// Tokens of the pieces seen so far. Most words of a text are repetitions, so nearly all of the
/// time goes into this look-up. One thread at a time.
class PieceCache {
  public:
    static constexpr size_t kLongestPiece = 48;
    static constexpr size_t kMostPieces = 1 << 18;

    /// The tokens of `piece`, or nullptr.
    const std::vector<int32_t>* find(std::string_view piece) const {
        const auto found = tokens_.find(piece);
        return found == tokens_.end() ? nullptr : &found->second;
    }
    void keep(std::string_view piece, std::vector<int32_t> tokens) {
        if (piece.size() > kLongestPiece) return;
        if (tokens_.size() >= kMostPieces) tokens_.clear();
        tokens_.emplace(piece, std::move(tokens));
    }

  private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    std::unordered_map<std::string, std::vector<int32_t>, Hash, std::equal_to<>> tokens_;
};

}  // namespace headroom
