#include "core/wiring/wiring.h"

#include <algorithm>
#include <cmath>

#include "core/wiring/source_rules.h"

namespace headroom {

int n_skip_heads(const WiringChoice& choice, int n_kv_head) {
    // The small addition keeps 0.29 * 100 from becoming 28.
    return static_cast<int>(std::floor(choice.skip_ratio * n_kv_head + 1e-9));
}

namespace {

std::vector<LatentSharing> share_latents(const WiringChoice& choice, int n_layer, int64_t width) {
    const int source = static_cast<int>(std::max<int64_t>(choice.skip_layer, 1)) - 1;
    const int64_t skipped =
        choice.value_source == "skip" ? n_skip_heads(choice, static_cast<int>(width)) : 0;
    std::vector<LatentSharing> latents;
    for (int layer = 0; layer < n_layer; ++layer) {
        if (layer <= source || skipped == 0)
            latents.push_back({width, 0, layer});
        else
            latents.push_back({width - skipped, skipped, source});
    }
    return latents;
}

}  // namespace

bool learns_lambda(const Wiring& wiring, int layer) {
    const auto learned = [](const HeadSources& sources) {
        return std::any_of(sources.begin(), sources.end(), [](const HeadSource& source) {
            return source.learned != SourceWeight::kFixed;
        });
    };
    const auto any = [&](const SourceTable& table) {
        const auto& heads = table[static_cast<size_t>(layer)];
        return std::any_of(heads.begin(), heads.end(), learned);
    };
    return any(wiring.keys) || any(wiring.values);
}

Wiring build_wiring(const WiringChoice& choice, int n_layer, int n_head, int n_kv_head,
                    int64_t latent_width) {
    check_wiring_size(n_layer, n_head, n_kv_head);
    Wiring wiring;
    wiring.n_layer = n_layer;
    wiring.n_head = n_head;
    wiring.n_kv_head = n_kv_head;
    const SourceSizes sizes{n_layer, n_kv_head};
    const WiringChoice heads = latent_width > 0 ? WiringChoice{} : choice;
    wiring.keys = source_table(heads, KvTable::kKeys, sizes);
    wiring.values = source_table(heads, KvTable::kValues, sizes);
    if (latent_width > 0) wiring.latents = share_latents(choice, n_layer, latent_width);
    derive_own_heads(wiring);
    check_wiring(wiring);
    return wiring;
}

}  // namespace headroom
