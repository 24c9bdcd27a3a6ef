#pragma once

#include <vector>

#include "core/config/model_config.h"
#include "core/graph/graph.h"

namespace headroom {

/// What decoding keeps of earlier positions, per layer: exactly what the layer projects itself
/// (core/account/kv_cache.h counts the same), kNoValue where that is nothing. Keys are kept after
/// QK-norm and rotation. Each (batch_size, own heads, capacity, width); the latent and its rotary
/// key are one head.
struct DecodeCaches {
    int64_t capacity = 0;
    std::vector<ValueId> keys, values;
    std::vector<ValueId> latents, ropes;  ///< latent attention

    /// Of all layers, without gaps.
    std::vector<ValueId> all() const;
};

/// Adds the caches of `model` to a graph, in storage type `precision`.
DecodeCaches add_decode_caches(Graph& graph, const ModelConfig& model, DType precision,
                               int64_t batch_size, int64_t capacity);

}  // namespace headroom
