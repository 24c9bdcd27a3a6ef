#pragma once

#include "datasets/text/documents.h"
#include "datasets/token_array.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// What a tokenizer needs its text to be.
TextCheck check_for(const std::string& tokenizer_spec);

/// Documents as one row of tokens. With a tokenizer that has an end-of-text token, each document is
/// encoded without special tokens and followed by it; without one, the documents are joined.
TokenArray encode_documents(const Tokenizer& tokenizer, const Documents& documents);

}  // namespace headroom
