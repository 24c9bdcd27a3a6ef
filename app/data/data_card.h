#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// What a token file holds, counted, and where it is from, as its manifest says.
struct DataCard {
    struct Frequent {
        int32_t id = 0;
        int64_t count = 0;
    };
    int64_t tokens = 0;
    int64_t counted = 0;                  ///< of them, from the start: at most 2^28
    int64_t distinct = 0;                 ///< ids among those
    std::vector<Frequent> most_frequent;  ///< ten at most
    // From FILE.manifest.json; -1 and "" without one.
    int64_t documents = -1, text_bytes = -1;
    int64_t duplicates = -1;  ///< left out; -1: nobody looked for them
    std::string tokenizer, checksum;
    /// That tokenizer, if its vocabulary is still there and the same; else why not.
    std::shared_ptr<const Tokenizer> reader;
    std::string reader_problem;
    std::vector<std::string> sources;

    double bytes_per_token() const {
        return static_cast<double>(text_bytes) / static_cast<double>(tokens);
    }
};

/// The card of the token file that `spec` names; none for another kind of spec. UserError for a
/// damaged manifest, or one of another number of tokens.
std::optional<DataCard> read_data_card(const std::string& spec);

}  // namespace headroom
