#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/weights/interop/layout.h"
#include "core/weights/weight_source.h"

namespace headroom {

struct SaveOptions {
    std::optional<StoredType> type = {};  ///< of all tensors; without it each keeps its own
    std::function<void(double share)> progress = {};  ///< called before each tensor
    /// Metadata of the file beside those of the weights, such as "tokenizer"; theirs win.
    std::map<std::string, std::string> other = {};
    /// Of another tool's config.json: "bos_token_id" and "eos_token_id", which the model does not
    /// tell.
    std::map<std::string, int64_t> token_ids = {};
};

/// Writes any weights as a checkpoint of ours, atomically, one tensor in memory at a time. Numbers
/// that are or become float64 are read in double precision. Returns warnings about numbers that are
/// not finite.
std::vector<std::string> save_weights(const WeightSource& weights,
                                      const std::filesystem::path& path,
                                      const SaveOptions& options = {});

/// The same as another tool stores it: nanoGPT in one file with `model_args` in its metadata, the
/// others as a folder with model.safetensors and config.json, or as FILE.safetensors with the
/// config.json beside it. UserError naming the key or the tensor that has no place there. Rotary
/// pairs (2j, 2j+1) become (j, j + d_head/2), as others have them.
std::vector<std::string> save_in_layout(const WeightSource& weights, const Layout& layout,
                                        const std::filesystem::path& path,
                                        const SaveOptions& options = {});

}  // namespace headroom
