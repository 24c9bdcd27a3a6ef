#pragma once

#include <memory>

#include "core/weights/weight_source.h"

namespace headroom {

/// `source` seen as the same model with the wiring of `wanted`, to be trained on: every key or
/// value head that a layer of `wanted` still projects keeps the weights that the layer has for it,
/// heads that it reads elsewhere lose theirs, and a learned weight that is new starts at
/// kInitialLambda. With fewer key/value heads the means of neighbours are taken, as for GQA
/// (uptrain.h). No output changes but through what is read: at the start the loss is that of
/// `headroom probe rewire` for the same table. UserError naming the key unless the models agree in
/// layers, heads and their width, and the source projects what `wanted` does.
std::shared_ptr<const WeightSource> rewire(std::shared_ptr<const WeightSource> source,
                                           const ModelConfig& wanted);

/// The same UserError, without the weights.
void check_rewire(const ModelConfig& source, const ModelConfig& wanted);

}  // namespace headroom
