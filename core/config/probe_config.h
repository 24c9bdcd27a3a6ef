#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/probe_schema.h"

namespace headroom {

/// A probe that the worker runs during training, on a fixed batch of the validation data, and once
/// more at the end. core/probe/README.md defines the kinds.
struct ProbeConfig {
    std::string kind = {};
    int64_t every = 0;        ///< steps; 0: at the end only
    int64_t batch_size = 1;   ///< sequences
    int64_t seq_len = 0;      ///< tokens of each; 0: train.seq_len
    ProbeValues values = {};  ///< options of the kind; those that are missing have their defaults

    bool operator==(const ProbeConfig&) const = default;
};

/// The kinds that can run during training, in alphabetical order.
std::vector<std::string> training_probe_kinds();

/// The list `probes` of a job. UserError naming the entry and the key; a key that the kind has no
/// use for is refused, as is a kind that stands twice.
std::vector<ProbeConfig> parse_probes(const nlohmann::json& list);
/// The same list, written with the keys that its kinds use.
nlohmann::json to_json(const std::vector<ProbeConfig>& probes);

}  // namespace headroom
