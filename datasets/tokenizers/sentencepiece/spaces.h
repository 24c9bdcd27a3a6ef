#pragma once

#include <string>
#include <string_view>

#include "datasets/tokenizers/byte_trie.h"
#include "datasets/tokenizers/sentencepiece/model_file.h"

namespace headroom {

/// U+2581, which stands for a space in pieces.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// Text as the pieces have it: SentencePiece's normalizer.cc, Normalizer::Normalize. Bytes that are
/// no UTF-8 become U+FFFD, each by itself. `kept` are texts that no rule touches (user-defined
/// pieces).
std::string normalize_for_pieces(std::string_view text, const SentencePieceFile& file,
                                 const ByteTrie& kept);

}  // namespace headroom
