#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model_weights.h"

namespace headroom {

struct SaveOptions {
    std::optional<StoredType> type = {};  ///< of all tensors; without it each keeps its own
    std::function<void(double share)> progress = {};  ///< called before each tensor
};

/// Writes the weights as a checkpoint of ours, one tensor in memory at a time. Returns warnings
/// about numbers that are not finite.
std::vector<std::string> save_as_ours(const ModelWeights& weights,
                                      const std::filesystem::path& path,
                                      const SaveOptions& options);

/// The same as another tool stores it: nanoGPT in one file with `model_args` in its metadata, the
/// others as a folder with model.safetensors and config.json, or as FILE.safetensors with the
/// config.json beside it. UserError naming the key or the tensor that has no place there. Rotary
/// pairs (2j, 2j+1) become (j, j + d_head/2), as others have them.
std::vector<std::string> save_in_layout(const ModelWeights& weights, const Layout& layout,
                                        const std::filesystem::path& path,
                                        const SaveOptions& options);

/// The model as the layout would describe it. UserError naming the key that it cannot express.
/// Differs from `config` at most in having biases, then to be zero.
ModelConfig config_in_layout(const Layout& layout, const ModelConfig& config);

}  // namespace headroom
