#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/byte_trie.h"

namespace headroom {

/// How much less than the least probable piece a character that is none counts: kUnkPenalty of
/// SentencePiece, K_UNK_PENALTY of Hugging Face.
inline constexpr float kUnknownPenalty = 10.0F;

/// The most probable way to cut a text into pieces with given log-probabilities: the Viterbi
/// algorithm of SentencePiece's unigram_model.cc, EncodeOptimized (Kudo 2018, arXiv:1804.10959,
/// section 3.2). Immutable.
class UnigramPath {
  public:
    /// SentencePiece adds up in float, Hugging Face in double: ties fall differently.
    enum class Sums { kFloat, kDouble };

    /// One piece of the vocabulary.
    struct Piece {
        std::string_view text;
        int32_t id;
        double score;
    };

    UnigramPath() = default;
    /// `unknown_score` is that of a character that is no piece. The texts need not live on.
    UnigramPath(const std::vector<Piece>& pieces, double unknown_score, Sums sums);

    /// A part of the text; id -1 is a character that is no piece.
    struct Part {
        size_t start, end;
        int32_t id;
    };
    std::vector<Part> best(std::string_view text) const;

  private:
    template <class Sum>
    std::vector<Part> find(std::string_view text) const;

    ByteTrie trie_;  ///< values are places in the two lists
    std::vector<int32_t> ids_;
    std::vector<double> scores_;
    double unknown_score_ = 0;
    Sums sums_ = Sums::kDouble;
};

}  // namespace headroom
