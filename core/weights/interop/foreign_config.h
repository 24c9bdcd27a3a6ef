#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/weights/interop/infer_keys.h"

namespace headroom {

/// What a checkpoint of another tool describes.
struct ForeignModel {
    ModelConfig config;
    std::set<std::string, std::less<>> zero_patterns;  ///< biases of ours that it does not have
    std::vector<std::string> notes;
    int64_t longest = 0;  ///< the sliding window that block_size was limited to; 0: none
};

/// Reads `config` (or, if that is empty, the config.json beside the weights, or `model_args` or
/// `config` in their metadata), applies the assignments of `sets`, and takes what is then still
/// open from the shapes. UserError naming the file and the key.
ForeignModel foreign_model(const Layout& layout, const BareTensors& tensors,
                           const std::vector<std::string>& sets,
                           const std::filesystem::path& config);

/// The configuration that lies beside a checkpoint; an empty path if there is none.
std::filesystem::path config_beside(const TensorSet& set);

}  // namespace headroom
