#pragma once

#include <string>

#include "core/config/job.h"

namespace headroom {

/// The keys of train that say what a model was trained to predict, as a JSON object, for the
/// metadata of its checkpoints ("objective"): {"objective": "masked", "mask_rate": ...}.
std::string objective_json(const TrainConfig& train);

/// Takes these keys over; others stay. UserError naming `source` for bad text.
void read_objective(const std::string& text, const std::string& source, TrainConfig& train);

}  // namespace headroom
