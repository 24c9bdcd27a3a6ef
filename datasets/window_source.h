#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "datasets/sequence_source.h"
#include "datasets/token_array.h"

namespace headroom {

/// Windows of a token array. Training rows start at uniformly drawn positions; evaluation rows at
/// the positions frac(n * golden ratio), which cover the array evenly for any number of rows.
/// Throws UserError from draw and fixed for an id outside [0, vocab_size), naming `label`.
std::unique_ptr<SequenceSource> make_window_source(TokenArray tokens, int64_t vocab_size,
                                                   std::string label);

}  // namespace headroom
