#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/model_config.h"

namespace headroom {

/// Prints what describe_model found, for people.
void print_description(const std::string& title, const ModelConfig& model,
                       const nlohmann::json& document);

/// {0, 1, 2, 5} as "0-2, 5".
std::string number_ranges(const std::vector<int64_t>& numbers);

}  // namespace headroom
