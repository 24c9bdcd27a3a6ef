#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/absorb/absorption.h"

namespace headroom {

/// The answer for one MLP, of a layer or of a file.
struct NamedAbsorption {
    std::optional<int64_t> layer;
    Absorption answer;
    std::optional<Decision> mlp_alone;  ///< where a norm stands before the MLP
};

/// {"mlps": [{"layer", "decision", "set", "residual", …}]}; of a single MLP its keys stand at the
/// top too. Keys that do not apply are null.
nlohmann::ordered_json to_json(const std::vector<NamedAbsorption>& all);

nlohmann::ordered_json to_json(const Witness& witness);

/// One line an MLP, then each theorem and reason once.
std::string absorption_table(const std::vector<NamedAbsorption>& all);

}  // namespace headroom
