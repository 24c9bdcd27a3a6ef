#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/data/prepare_tokens.h"

namespace headroom {

struct JsonlOptions {
    std::vector<std::string> files;  ///< JSON Lines, plain, gzip or Zstandard; in this order
    std::string field = "text";      ///< of each object, the document
    std::string tokenizer, out, format = "nanogpt";
    int64_t threads = 0;       ///< that cut text; 0: one for each core, at most 8
    bool deduplicate = false;  ///< of documents that are the same to the byte, keep the first
};

/// Writes the documents of JSONL files as a token file, each followed by the tokenizer's
/// end-of-text token if it has one, and OUT.manifest.json beside it: sources, documents, bytes,
/// tokens, the tokenizer and a checksum. Holds a few megabytes of text at a time, and with
/// `deduplicate` up to 43 bytes a document. Every 64 MiB of text it keeps where it stands in
/// OUT.partial.state.json (and what it has seen in OUT.partial.seen); started again with the same
/// options it goes on from there, and the file in the end is the same, whatever the number of
/// threads.
/// UserError for a line that is no such object, naming it.
PrepareResult prepare_jsonl(const JsonlOptions& options);

}  // namespace headroom
