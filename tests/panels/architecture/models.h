#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/config/job_json.h"

namespace headroom {

/// A model of `keys`, small unless they say otherwise.
inline ModelConfig model_of(nlohmann::json keys) {
    const nlohmann::json sizes = {
        {"n_layer", 6}, {"n_head", 4}, {"d_model", 64}, {"vocab_size", 100}, {"block_size", 32}};
    for (const auto& [key, value] : sizes.items())
        if (!keys.contains(key)) keys[key] = value;
    return parse_model_config(keys, "");
}

inline ModelConfig model_of_arch(const std::string& arch) {
    nlohmann::json keys = {{"arch", arch}};
    if (arch == "mla" || arch == "skipv1_mla")
        keys["mla"] = {{"d_c", 32}, {"d_r", 8}, {"d_nope", 16}, {"d_v", 16}};
    return model_of(keys);
}

}  // namespace headroom
