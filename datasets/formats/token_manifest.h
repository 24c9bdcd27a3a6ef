#pragma once

#include <cstdint>
#include <memory>
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

/// How a manifest writes a checksum of ids (TokenStreamState).
std::string checksum_text(uint64_t checksum);

/// OUT.manifest.json of a token file.
std::string manifest_beside(const std::string& token_file);

/// Writes OUT.manifest.json.
void write_manifest(const std::string& out, const TokenManifest& manifest);

/// Where a token file is from: what FILE.manifest.json says; `headroom data prepare` writes it.
struct TokenOrigin {
    int64_t tokens = 0;
    int64_t vocab_size = 0;
    int64_t documents = 0, text_bytes = 0;
    int64_t duplicates = -1;  ///< left out; -1: nobody looked for them
    std::string tokenizer;    ///< its spec in job files, or its kind
    std::string checksum;     ///< of the ids
    std::vector<std::string> sources;
    /// That tokenizer, if its vocabulary is still there and the same; else why not.
    std::shared_ptr<const Tokenizer> reader;
    std::string reader_problem;

    double bytes_per_token() const {
        return static_cast<double>(text_bytes) / static_cast<double>(tokens);
    }
};

/// None where no manifest lies beside the file. UserError for a damaged one, one of another schema,
/// or one that is of another number of tokens than `tokens`.
std::optional<TokenOrigin> read_token_origin(const std::string& token_file, int64_t tokens);

}  // namespace headroom
