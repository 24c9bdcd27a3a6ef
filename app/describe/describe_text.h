#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/model_config.h"

namespace headroom {

/// Prints what describe_model found, for people.
void print_description(const std::string& title, const ModelConfig& model,
                       const nlohmann::json& document);

}  // namespace headroom
