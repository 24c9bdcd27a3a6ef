#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"

namespace headroom {

/// The model of a job file's keys.
inline ModelConfig model_of(const std::string& text) {
    return parse_model_config(nlohmann::json::parse(text), "");
}
inline ModelConfig preset(const std::string& name) {
    return parse_model_config({{"preset", name}}, "");
}

}  // namespace headroom
