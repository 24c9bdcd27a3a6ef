#include "core/account/cache_buffers.h"

#include <algorithm>

#include "core/account/kv_cache.h"
#include "core/base/error.h"

namespace headroom {
namespace {

/// The layers of `heads`, which are in order, each once.
void add_layers(const std::vector<HeadId>& heads, std::vector<int>& layers) {
    for (const HeadId& head : heads) {
        const auto at = std::lower_bound(layers.begin(), layers.end(), head.layer);
        if (at == layers.end() || *at != head.layer) layers.insert(at, head.layer);
    }
}

void add_heads(int layer, CacheKind kind, const TableSummary& table, int64_t width,
               std::vector<CacheBuffer>& buffers) {
    const auto& readers = table.readers_of[static_cast<size_t>(layer)];
    if (readers.empty()) return;
    CacheBuffer buffer{layer, kind, static_cast<int64_t>(readers.size()), width, {}, readers};
    for (const auto& of_head : readers) add_layers(of_head, buffer.readers);
    buffers.push_back(std::move(buffer));
}

std::vector<CacheBuffer> latent_buffers(const ModelConfig& model) {
    std::vector<CacheBuffer> buffers;
    const std::vector<LatentUse> uses = latent_uses(model.wiring);
    for (int layer = 0; layer < model.n_layer; ++layer) {
        const LatentUse& use = uses[static_cast<size_t>(layer)];
        if (use.own > 0)
            buffers.push_back({layer, CacheKind::kLatent, 1, use.own, use.readers, {}});
        if (model.mla->d_r > 0)
            buffers.push_back({layer, CacheKind::kRotaryKey, 1, model.mla->d_r, {layer}, {}});
    }
    return buffers;
}

}  // namespace

std::string_view name_of(CacheKind kind) {
    switch (kind) {
        case CacheKind::kKeys:
            return "keys";
        case CacheKind::kValues:
            return "values";
        case CacheKind::kLatent:
            return "latent";
        case CacheKind::kRotaryKey:
            return "rotary key";
    }
    CHECK(false, "every kind has a name");
}

std::vector<CacheBuffer> cache_buffers(const ModelConfig& model) {
    if (!model.causal) return {};
    if (model.mla) return latent_buffers(model);
    const WiringSummary wiring = summarize(model.wiring);
    std::vector<CacheBuffer> buffers;
    for (int layer = 0; layer < model.n_layer; ++layer) {
        add_heads(layer, CacheKind::kKeys, wiring.keys, model.d_head, buffers);
        add_heads(layer, CacheKind::kValues, wiring.values, model.d_head, buffers);
    }
    return buffers;
}

}  // namespace headroom
