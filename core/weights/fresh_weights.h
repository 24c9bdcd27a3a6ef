#pragma once

#include <cstdint>
#include <vector>

#include "core/weights/weight_source.h"

namespace headroom {

/// The weights that a model starts its training with: a pure function of configuration and seed.
class FreshWeights final : public WeightSource {
  public:
    FreshWeights(ModelConfig config, uint64_t seed);

    /// float32, as training keeps them.
    StoredType type(std::string_view) const override { return StoredType::kF32; }

  private:
    std::vector<float> read_float(const ParameterSpec& spec) const override;
    std::vector<double> read_double(const ParameterSpec& spec) const override;

    uint64_t seed_;
};

}  // namespace headroom
