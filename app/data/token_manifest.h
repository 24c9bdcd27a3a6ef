#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/formats/token_stream.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// A file that documents were read from.
struct TokenSource {
    std::string path;
    int64_t bytes = 0;

    bool operator==(const TokenSource&) const = default;
};

/// The file as it is now; `bytes` is 0 if it cannot be looked at.
TokenSource token_source(const std::string& path);

/// How a token file was made: what OUT.manifest.json says (headroom-tokens/1).
struct TokenManifest {
    TokenFormat format = TokenFormat::kNanoGpt;
    TokenStreamState written;
    int64_t documents = 0, text_bytes = 0;
    const Tokenizer& tokenizer;
    std::vector<TokenSource> sources;
    std::string field;                  ///< of JSON Lines; "" for plain texts
    std::optional<int64_t> duplicates;  ///< left out, if they were looked for
};

/// Writes OUT.manifest.json, which datasets/formats/token_origin.h reads.
void write_manifest(const std::string& out, const TokenManifest& manifest);

}  // namespace headroom
