#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/formats/token_manifest.h"

namespace headroom {

/// What a file of token ids holds, counted, and where it is from, as its manifest says.
struct DataCard {
    struct Frequent {
        int32_t id = 0;
        int64_t count = 0;
    };
    int64_t tokens = 0;
    int64_t counted = 0;                  ///< of them, from the start: at most 2^28
    int64_t distinct = 0;                 ///< ids among those
    std::vector<Frequent> most_frequent;  ///< ten at most
    std::optional<TokenOrigin> origin;    ///< none without a manifest
};

/// The card of the token ids that `spec` names; none for another kind of spec. UserError for a
/// damaged manifest, or one of another number of tokens or, where all were counted, of others.
std::optional<DataCard> read_data_card(const std::string& spec);

}  // namespace headroom
