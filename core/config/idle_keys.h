#pragma once

#include <string>
#include <vector>

#include "core/config/model_config.h"

namespace headroom {

/// One sentence for each key of the model section that was changed from its default and changes
/// nothing, since what it belongs to is switched off: "model.dwa_period = 2 has no effect without
/// model.dense".
std::vector<std::string> idle_keys(const ModelConfig& model);

}  // namespace headroom
