#pragma once

#include <memory>

#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/pipeline/piece_model.h"

namespace headroom {

/// The Unigram model of a tokenizer.json: pieces with log-probabilities, the most probable cut.
/// Runs of characters that are no piece become one unknown token or, with byte_fallback, their
/// bytes. UserError for lists that are no vocabulary.
std::unique_ptr<PieceModel> make_unigram_model(const JsonPart& model);

}  // namespace headroom
