#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/checkpoint.h"
#include "core/config/job_json.h"
#include "core/model/initialize.h"
#include "core/model/parameters.h"

namespace headroom {

struct RandomCheckpoint {
    bool with_tokenizer = true;
    double init_std = 0.3;
};

/// Writes a checkpoint of a small model over bytes, with random weights; `keys` are of its model
/// section.
inline void write_random_checkpoint(const std::filesystem::path& path, nlohmann::json keys,
                                    const RandomCheckpoint& options = {}) {
    const nlohmann::json sizes{{"n_layer", 2}, {"n_head", 2},       {"d_model", 16},
                               {"d_ff", 32},   {"vocab_size", 300}, {"block_size", 32}};
    for (const auto& [key, value] : sizes.items())
        if (!keys.contains(key)) keys[key] = value;
    const ModelConfig model = parse_model_config(keys, "");
    std::vector<std::vector<float>> numbers;
    std::vector<TensorToWrite> tensors;
    for (ParameterSpec spec : parameter_specs(model)) {
        if (spec.init_std > 0) spec.init_std = options.init_std;
        numbers.emplace_back(static_cast<size_t>(spec.count()));
        fill_initial(spec, 3, std::span<float>(numbers.back()));
        tensors.push_back(
            tensor_to_write(spec.name, spec.shape, std::span<const float>(numbers.back())));
    }
    CheckpointMetadata metadata;
    metadata.config_json = keys.dump();
    if (options.with_tokenizer) metadata.other["tokenizer"] = R"({"kind": "byte"})";
    write_checkpoint(path, metadata, tensors);
}

}  // namespace headroom
