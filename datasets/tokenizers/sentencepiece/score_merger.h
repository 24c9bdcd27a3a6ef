#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/byte_trie.h"
#include "datasets/tokenizers/sentencepiece/model_file.h"

namespace headroom {

/// SentencePiece's byte-pair encoding (bpe_model.cc, Model::SampleEncode with alpha 0): the two
/// neighbours that make the piece of the highest score are joined first, the leftmost of equals;
/// user-defined pieces stay whole, unused ones are taken apart again at the end. O(n log n).
class ScoreMerger {
  public:
    /// `pieces`: ids of all pieces that a merge may make. Both must live on. Without `merges`
    /// characters stay alone (the char model).
    ScoreMerger(const SentencePieceFile& file, const ByteTrie& pieces, const ByteTrie& kept,
                bool merges)
        : file_(file), pieces_(pieces), kept_(kept), merges_(merges) {}

    /// A part of the text; id -1 is no piece.
    struct Part {
        std::string_view text;
        int32_t id;
    };
    std::vector<Part> cut(std::string_view text) const;

  private:
    struct Search;

    const SentencePieceFile& file_;
    const ByteTrie& pieces_;
    const ByteTrie& kept_;
    bool merges_;
};

}  // namespace headroom
