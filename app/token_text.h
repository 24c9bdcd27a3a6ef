#pragma once

#include <cstdint>
#include <string>

#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// What a token reads as, in UTF-8: bytes that are no character alone as \xNN; "" for an id that
/// the tokenizer does not know.
std::string token_text(const Tokenizer& tokenizer, int32_t id);

}  // namespace headroom
