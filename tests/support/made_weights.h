#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/weights/weight_source.h"

namespace headroom {

/// Weights that a test makes: `make(name)` gives a tensor's numbers.
class MadeWeights final : public WeightSource {
  public:
    using Make = std::function<std::vector<double>(const std::string& name)>;
    MadeWeights(ModelConfig config, Make make, CheckpointMetadata metadata = {})
        : make_(std::move(make)) {
        metadata_ = std::move(metadata);
        set_model("made.safetensors", std::move(config));
    }
    StoredType type(std::string_view) const override { return StoredType::kF64; }

  private:
    std::vector<float> read_float(const ParameterSpec& spec) const override {
        const std::vector<double> values = make_(spec.name);
        return std::vector<float>(values.begin(), values.end());
    }
    std::vector<double> read_double(const ParameterSpec& spec) const override {
        return make_(spec.name);
    }

    Make make_;
};

}  // namespace headroom
