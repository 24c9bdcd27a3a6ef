#include "core/account/kv_cache.h"

namespace headroom {
namespace {

LayerCache layer_cache(const ModelConfig& model, int layer) {
    if (model.mla)
        return {.latent =
                    own_latent_width(model.wiring_choice, layer, model.mla->d_c) + model.mla->d_r};
    const auto index = static_cast<size_t>(layer);
    return {.keys = model.wiring.own_key_heads[index] * model.d_head,
            .values = model.wiring.own_value_heads[index] * model.d_head};
}

}  // namespace

std::vector<LatentUse> latent_uses(const ModelConfig& model) {
    std::vector<LatentUse> uses(static_cast<size_t>(model.n_layer));
    for (int layer = 0; layer < model.n_layer; ++layer) {
        LatentUse& use = uses[static_cast<size_t>(layer)];
        use.own = own_latent_width(model.wiring_choice, layer, model.mla->d_c);
        use.shared = model.mla->d_c - use.own;
        use.source = use.shared > 0 ? static_cast<int>(model.wiring_choice.skip_layer) - 1 : layer;
        if (use.own > 0) use.readers.push_back(layer);
        if (use.shared > 0) uses[static_cast<size_t>(use.source)].readers.push_back(layer);
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
