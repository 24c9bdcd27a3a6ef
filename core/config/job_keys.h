#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/config/schema.h"

/// One key at a time: finding, leaving out and comparing the keys of job documents.
namespace headroom {

/// The key's value in a document, or nullptr.
const nlohmann::json* find_value(const nlohmann::json& document, const Field& field);

/// What the key would be if nobody had given it; null where the rest does not stand without it.
/// REQUIRES: the document is a job that was read without complaint.
nlohmann::json implied_value(const nlohmann::json& document, const Field& field);

/// A key that two jobs disagree about.
struct KeyDifference {
    const Field* field = nullptr;
    std::string before, after;  ///< JSON; "null" where one of them does not write it
};

/// In the order of the schema.
std::vector<KeyDifference> key_differences(const Job& before, const Job& after);
std::vector<KeyDifference> key_differences(const ModelConfig& before, const ModelConfig& after);

/// Keys that the job sets although they do not count for it, one line each:
/// "model.dwa_period = 2 has no effect without dense = true". A key at what the others imply is
/// not set. So is a wiring that shares nothing in so small a model, a map of keys or values in
/// layers that have none of their own, and a capacity of experts that can drop nothing.
std::vector<std::string> ignored_keys(const Job& job);

}  // namespace headroom
