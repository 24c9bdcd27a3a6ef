#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// Numbers that decoding keeps per token for one layer: exactly what the layer projects itself.
/// Keys are kept after QK-norm and rotation; what a layer reads from another is never stored twice.
/// An identity map still keeps its slices of the normalised input.
struct LayerCache {
    int64_t keys = 0;
    int64_t values = 0;
    int64_t latent = 0;  ///< MLA: own latent coordinates and the rotary key

    int64_t numbers() const { return keys + values + latent; }
};

/// Latent attention: who projects and who reads the coordinates of a layer's latent.
struct LatentUse : LatentSharing {
    std::vector<int> readers;  ///< layers that read what is kept here, itself included
};

/// One entry for each layer; none without latents.
std::vector<LatentUse> latent_uses(const Wiring& wiring);

struct CacheCount {
    /// False for an encoder: without a mask a new token changes what every earlier one computes, so
    /// that nothing can be kept and all numbers below are 0.
    bool decodable = true;
    std::vector<LayerCache> layers;
    int64_t numbers_per_token = 0;
    /// What the same model would keep if every head of every layer had its own key and value.
    int64_t unshared_numbers_per_token = 0;

    int64_t bytes_per_token(DType dtype) const {
        return numbers_per_token * static_cast<int64_t>(size_of(dtype));
    }
};

/// From the wiring and the block alone: own heads times d_head, per layer. Layers that share
/// weights have a cache each.
CacheCount count_cache(const ModelConfig& model);

}  // namespace headroom
