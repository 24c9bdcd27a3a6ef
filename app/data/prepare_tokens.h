#pragma once

#include <cstdint>
#include <string>

#include "datasets/formats/token_file.h"

namespace headroom {

struct PrepareOptions {
    std::string text;                ///< a file or a folder
    std::string tokenizer = "byte";  ///< as in job files
    std::string out;
    std::string format = "nanogpt";  ///< or llmc
    std::string separator;           ///< cuts files into documents; "" = each file is one
    bool deduplicate = false;        ///< of documents that are the same to the byte, keep the first
    bool progress = true;            ///< say on stderr how far it is
};

struct PrepareResult {
    int64_t documents = 0, bytes = 0, tokens = 0, vocab_size = 0;  ///< of what was kept
    std::string format, tokenizer;
    int64_t duplicates = 0;  ///< documents left out because an earlier one is the same
};

/// --format: nanogpt, or llmc in the width that `vocab_size` needs. UserError for another.
TokenFormat parse_token_format(const std::string& name, int64_t vocab_size);

/// Writes text as a token file; each document is followed by the tokenizer's end-of-text token if
/// it has one, and OUT.manifest.json beside it. Holds the text of only one file at a time (of all
/// for char). Throws UserError for bad text, options or vocabularies.
PrepareResult prepare_tokens(const PrepareOptions& options);

}  // namespace headroom
