#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "datasets/sequence_source.h"
#include "datasets/token_array.h"

namespace headroom {

/// How many ids there may be, and the largest one + 1 where it is known, else the same.
struct Vocabulary {
    int64_t size = 0, least = 0;
};

/// Windows of a token array. Training rows start at uniformly drawn positions; evaluation rows at
/// the positions frac(n * golden ratio), which cover the array evenly for any number of rows.
/// Throws UserError from draw and fixed for an id outside [0, vocabulary.size), naming `label`.
std::unique_ptr<SequenceSource> make_window_source(TokenArray tokens, Vocabulary vocabulary,
                                                   std::string label);

}  // namespace headroom
