#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/foreign/weight_places.h"
#include "core/config/model_config.h"
#include "core/model/parameters.h"

namespace headroom {

struct OpenWeightsOptions {
    std::string format = "auto";  ///< a layout's name, or "headroom"
    std::vector<std::string> sets =
        {};                             ///< KEY=VALUE of the model section, over what the file says
    std::filesystem::path config = {};  ///< read instead of the config.json beside the weights
};

/// A model's weights under our names, from a checkpoint of ours or of another tool. Opening checks
/// everything but the numbers, before anything of their size is allocated: every tensor of the
/// model is there once, with its shape and a floating type, and no other is.
class ModelWeights {
  public:
    /// UserError naming the file and the tensor or the key.
    static ModelWeights open(const std::filesystem::path& path,
                             const OpenWeightsOptions& options = {});

    const std::filesystem::path& path() const { return set_.path(); }
    /// "headroom", "nanogpt", "hf-gpt2", ...
    const std::string& format() const { return format_; }
    const ModelConfig& config() const { return config_; }
    /// In the order of the forward pass.
    const std::vector<ParameterSpec>& specs() const { return specs_; }
    /// What a person should know: keys that were assumed, a sequence length that was limited.
    const std::vector<std::string>& notes() const { return notes_; }

    /// For a file of ours that is to hold these weights.
    const CheckpointMetadata& checkpoint_metadata() const { return metadata_; }

    /// UserError if the model cannot take a sequence of so many tokens: for want of positions, or
    /// since a sliding window that is not computed here would come into force.
    void check_length(int64_t tokens) const;

    /// As it is stored in the file.
    StoredType type(std::string_view name) const;
    /// The numbers of one tensor, row-major as in its spec. T is float or double.
    template <class T>
    std::vector<T> read(std::string_view name) const;

  private:
    void open_ours(const OpenWeightsOptions& options);
    void open_foreign(const Layout& layout, const OpenWeightsOptions& options);

    TensorSet set_;
    std::string format_;
    ModelConfig config_;
    std::vector<ParameterSpec> specs_;
    WeightPlaces places_;
    CheckpointMetadata metadata_;
    std::vector<std::string> notes_;
};

}  // namespace headroom
