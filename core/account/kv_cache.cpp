#include "core/account/kv_cache.h"

namespace headroom {
namespace {

LayerCache layer_cache(const ModelConfig& model, int layer) {
    const auto index = static_cast<size_t>(layer);
    if (model.mla) return {.latent = model.wiring.latents[index].own + model.mla->d_r};
    return {.keys = model.wiring.own_key_heads[index] * model.d_head,
            .values = model.wiring.own_value_heads[index] * model.d_head};
}

}  // namespace

std::vector<LatentUse> latent_uses(const Wiring& wiring) {
    std::vector<LatentUse> uses;
    for (const LatentSharing& latent : wiring.latents) uses.push_back({latent, {}});
    for (size_t layer = 0; layer < uses.size(); ++layer) {
        const LatentUse& use = uses[layer];
        if (use.own > 0) uses[layer].readers.push_back(static_cast<int>(layer));
        if (use.shared > 0)
            uses[static_cast<size_t>(use.source)].readers.push_back(static_cast<int>(layer));
    }
    return uses;
}

CacheCount count_cache(const ModelConfig& model) {
    CacheCount count;
    if (!model.causal) {
        count.decodable = false;
        count.layers.resize(static_cast<size_t>(model.n_layer));
        return count;
    }
    for (int layer = 0; layer < model.n_layer; ++layer) {
        count.layers.push_back(layer_cache(model, layer));
        count.numbers_per_token += count.layers.back().numbers();
    }
    const int64_t layer_numbers =
        model.mla ? model.mla->d_c + model.mla->d_r : 2 * model.n_kv_head * model.d_head;
    count.unshared_numbers_per_token = model.n_layer * layer_numbers;
    return count;
}

}  // namespace headroom
