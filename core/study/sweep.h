#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// Visits the points of a "sweep" of study.json, { "train.lr": [0.001, 0.002], … }: every
/// combination, the last key of the alphabet fastest. `visit` gets what a run's id ends with there
/// ("-lr0.001") and what is laid over its job ({"train": {"lr": 0.001}}). Without keys there is one
/// point: "", {}. What would make the id of `entry` too long for a folder is cut, and told apart by
/// a hash of all of it. UserError naming `place`.
void for_each_point(
    const nlohmann::json& sweep, const std::string& entry, const std::string& place,
    const std::function<void(const std::string& suffix, const nlohmann::json& changes)>& visit);

}  // namespace headroom
