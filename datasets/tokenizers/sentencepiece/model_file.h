#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/charsmap.h"

namespace headroom {

/// What a SentencePiece .model file says, checked (sentencepiece_model.proto, ModelProto).
struct SentencePieceFile {
    // Numbers of the file; do not renumber.
    enum class Kind { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
    enum class Use {
        kNormal = 1,
        kUnknown = 2,
        kControl = 3,
        kUserDefined = 4,
        kUnused = 5,
        kByte = 6
    };
    struct Piece {
        std::string text;
        float score = 0;
        Use use = Use::kNormal;
    };

    Kind kind = Kind::kUnigram;
    std::vector<Piece> pieces;  ///< by id; texts are unique and well-formed UTF-8
    int32_t unknown = -1;       ///< the one piece that is kUnknown
    bool byte_fallback = false;
    bool space_behind = false;  ///< treat_whitespace_as_suffix
    std::string unknown_surface = " \xE2\x81\x87 ";
    Charsmap rules;
    bool add_dummy_prefix = true, remove_extra_spaces = true, escape_spaces = true;
};

/// UserError naming `source` for what is no such file, or has a model that is not read (word).
SentencePieceFile parse_sentencepiece(std::string_view bytes, const std::string& source);

}  // namespace headroom
