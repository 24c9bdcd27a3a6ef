#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// Where a token file is from: what FILE.manifest.json says (headroom-tokens/1), which
/// `headroom data prepare` writes beside it (app/data/token_manifest.h).
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

/// None where no manifest lies beside the file. UserError for a damaged one, or one that is of
/// another number of tokens than `tokens`.
std::optional<TokenOrigin> read_token_origin(const std::string& token_file, int64_t tokens);

}  // namespace headroom
