#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/weights/weight_source.h"

namespace headroom {

struct UptrainChoice {
    std::string conversion = "mean_v";  ///< of conversions(), one that gives skipv1 or gqa
    int64_t n_kv_head = 0;              ///< gqa: a divisor of n_head; 0 = n_head / 2
};

/// The model that the conversion gives: SkipV1Former with half of the value heads, or GQA.
/// UserError naming the key unless `source` is a multi-head model whose every layer projects its
/// own keys and values.
ModelConfig uptrained_config(const ModelConfig& source, const UptrainChoice& choice);

/// A multi-head checkpoint seen as the converted model. Tensors that the conversion does not touch
/// keep their bits; metadata: `uptrained_from`, `uptrained_with`, and the `uptrained_step` of the
/// source instead of a step. UserError as uptrained_config, naming the source.
std::shared_ptr<const WeightSource> uptrain(std::shared_ptr<const WeightSource> source,
                                            const UptrainChoice& choice);

/// One of the conversions to SkipV1Former for any wiring in which layers keep the first half of
/// their value heads and read the others elsewhere: those layers are converted, the others are
/// rewired (rewire_model.h), and so are all keys. With SkipV1Former's own wiring it is uptrain().
/// UserError as rewire(), and naming the layer that keeps another part of its values.
std::shared_ptr<const WeightSource> uptrain_to(std::shared_ptr<const WeightSource> source,
                                               const std::string& conversion,
                                               const ModelConfig& wanted);

/// The same UserError, without the weights.
void check_uptrain_to(const ModelConfig& source, const std::string& conversion,
                      const ModelConfig& wanted);

}  // namespace headroom
