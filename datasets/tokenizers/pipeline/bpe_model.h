#pragma once

#include <memory>
#include <vector>

#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/pipeline/piece_model.h"

namespace headroom {

/// Byte-pair encoding as a tokenizer.json describes it: over bytes in GPT-2's spelling, or over
/// characters, those that are not in the vocabulary as bytes (byte_fallback) or as the unknown
/// token. UserError for subword marks, dropout, and merges that name no token.
std::unique_ptr<PieceModel> make_bpe_model(const JsonPart& model, bool byte_level);

}  // namespace headroom
