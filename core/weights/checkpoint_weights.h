#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/weights/interop/weight_places.h"
#include "core/weights/weight_source.h"

namespace headroom {

struct OpenWeightsOptions {
    std::string format = "auto";  ///< a layout's name, or "headroom"
    std::vector<std::string> sets =
        {};                             ///< KEY=VALUE of the model section, over what the file says
    std::filesystem::path config = {};  ///< read instead of the config.json beside the weights
};

/// A model's weights under our names, from a checkpoint of ours or of another tool. Opening checks
/// everything but the numbers, before anything of their size is allocated: every tensor of the
/// model is there once, with its shape and a floating type, and no other is. Const members may be
/// called from any thread.
class CheckpointWeights final : public WeightSource {
  public:
    /// UserError naming the file and the tensor or the key.
    static CheckpointWeights open(const std::filesystem::path& path,
                                  const OpenWeightsOptions& options = {});

    const std::filesystem::path& path() const { return set_.path(); }
    /// "headroom", "nanogpt", "hf-gpt2", ...
    const std::string& format() const { return format_; }
    /// What a person should know: keys that were assumed, a sequence length that was limited.
    const std::vector<std::string>& notes() const { return notes_; }

    /// As it is stored in the file.
    StoredType type(std::string_view name) const override;

  private:
    void open_ours(const OpenWeightsOptions& options);
    void open_foreign(const Layout& layout, const OpenWeightsOptions& options);
    std::vector<float> read_float(const ParameterSpec& spec) const override;
    std::vector<double> read_double(const ParameterSpec& spec) const override;
    template <class T>
    std::vector<T> read_as(const ParameterSpec& spec) const;

    TensorSet set_;
    std::string format_;
    WeightPlaces places_;
    std::vector<std::string> notes_;
};

/// The same, shared with what is made of it (TransformedWeights).
std::shared_ptr<const CheckpointWeights> open_weights(const std::filesystem::path& path,
                                                      const OpenWeightsOptions& options = {});

}  // namespace headroom
