#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/account/compare_models.h"
#include "core/account/match.h"
#include "core/config/job.h"

namespace headroom {

/// One count of what is drawn, beside the baseline's.
struct WiringCount {
    std::string name;
    CountPair count;
    std::string value, difference;  ///< as text; "=" where they are equal
};

/// What a drawing costs: all counts as `headroom describe` gives them.
struct WiringCounts {
    std::vector<WiringCount> rows;          ///< parameters, FLOPs, cache
    std::vector<CountPair> cache_by_layer;  ///< bytes per token, by layer
    std::string line;                       ///< the rows on one line
    std::string note;                       ///< what was left out, "" if nothing
};

/// Bytes are those of a bf16 cache. Milliseconds.
WiringCounts count_wiring(const Job& drawn, const Job& baseline);

/// "baseline with d_ff = 2976: parameters equal": the baseline made as large as what is drawn, and
/// why it cannot. Some ten milliseconds.
std::string matched_control(const Job& drawn, const Job& baseline, MatchMeasure measure);

/// "Step: about 0.12 s (0.13 s as it started)": from training FLOPs and the rate at which this
/// study trains, FLOPs a second; why not, where the data have not told the vocabulary or nothing
/// was trained.
std::string step_time_words(const Job& drawn, const Job& start, double flops_per_second);

/// The model with every head its own: what sharing saves is counted against it.
Job unshared(const Job& job);

}  // namespace headroom
