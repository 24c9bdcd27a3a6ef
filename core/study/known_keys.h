#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// UserError unless `object`, which `place` names in messages, is an object of keys that are known.
void check_keys(const nlohmann::json& object, const std::string& place,
                const std::vector<std::string>& known);

}  // namespace headroom
