#pragma once

#include <cstdint>
#include <vector>

#include "core/wiring/head_id.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// One head of one table (keys or values), seen from the one who reads it.
struct HeadUse {
    HeadSources sources;          ///< who owns what this head reads
    int stored_heads = 0;         ///< projected heads that the layer stores on this head's account
    std::vector<HeadId> readers;  ///< table heads that read what is stored here, itself included
    /// Heads of cache saved against a head of its own: 1 where everything comes from elsewhere.
    int saved_heads() const { return 1 - stored_heads; }
};

/// Keys or values: uses[layer][head] for the table's heads, readers_of[layer][p] for the projected
/// ones.
struct TableSummary {
    std::vector<std::vector<HeadUse>> uses;
    std::vector<std::vector<std::vector<HeadId>>> readers_of;
    int64_t stored_heads = 0;    ///< sum over layers of the heads that they project and cache
    int64_t baseline_heads = 0;  ///< n_layer * n_kv_head, if every head had its own
    int64_t saved_heads() const { return baseline_heads - stored_heads; }
};

/// What the wiring shares and saves, for the studio's picture and for `describe`. One stored head
/// is d_head numbers per token of cache and d_model * d_head parameters.
struct WiringSummary {
    TableSummary keys;
    TableSummary values;
};

/// REQUIRES: check_wiring(wiring) passes.
WiringSummary summarize(const Wiring& wiring);

/// The one source of weight 1 that `sources` consists of, or nullptr if it is a mixture or empty.
const HeadSource* single_source(const HeadSources& sources);

}  // namespace headroom
