#pragma once

#include <vector>

#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The parameters of a graph on a device, such as a model in training: as they are when they are
/// read, so between two steps.
class LiveWeights final : public WeightSource {
  public:
    /// `executor` and `parameters`, those of `config`, must outlive this.
    LiveWeights(const Executor& executor, const std::vector<GraphParameter>& parameters,
                ModelConfig config, CheckpointMetadata metadata = {});

    StoredType type(std::string_view name) const override;

  private:
    ValueId value_of(std::string_view name) const;
    std::vector<float> read_float(const ParameterSpec& spec) const override;
    std::vector<double> read_double(const ParameterSpec& spec) const override;
    template <class T>
    std::vector<T> read_as(const ParameterSpec& spec) const;

    const Executor& executor_;
    const std::vector<GraphParameter>& parameters_;
};

}  // namespace headroom
