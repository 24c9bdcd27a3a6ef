#pragma once

#include <string>

#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// A tokenizer.json of Hugging Face that gives the ids of a tokenizer whose tokens are single bytes
/// (byte) or characters (char): BPE without merges. "" of any other, which has files of its own.
std::string plain_tokenizer_json(const Tokenizer& tokenizer);

}  // namespace headroom
