#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/absorb/checkpoint_absorption.h"

namespace headroom {

/// How far the MLPs of one checkpoint of a run are from taking in their skips.
struct StepAbsorption {
    int64_t step = 0;
    std::vector<LayerAbsorption> layers;  ///< without their coefficients and sets
};

/// Of every checkpoint of the run, oldest first, all layers that have a skip around their MLP or
/// the one that is named. `progress` hears the share that is done. UserError if the run has no
/// checkpoint or its model no such skip.
std::vector<StepAbsorption> absorption_history(const std::filesystem::path& run,
                                               std::optional<int64_t> layer,
                                               const std::function<void(double)>& progress);

/// {"run", "steps": [{"step", "mlps": [{"layer", "decision", "mlp_alone", "relative_residual",
/// "coefficient_distance"}]}]}. Numbers that a layer has not are null.
nlohmann::ordered_json to_json(const std::string& run, const std::vector<StepAbsorption>& history);

/// A row a checkpoint, a column a layer: what is left of the skip.
std::string history_table(const std::vector<StepAbsorption>& history);

}  // namespace headroom
