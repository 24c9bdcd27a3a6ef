#include "core/surgery/stream_tensors.h"

#include <string>
#include <string_view>

namespace headroom {

StreamUse stream_use(const ParameterSpec& spec) {
    const std::string_view name = spec.name;
    if (name == "wte.weight" || name == "wpe.weight") return StreamUse::kEmbedding;
    if (name == "lm_head.weight") return StreamUse::kHead;
    if (spec.layer < 0) return StreamUse::kNone;
    const std::string_view owner = name.substr(0, name.rfind('.'));  // "h.3.mlp.experts.1.up"
    const std::string_view map = owner.substr(owner.rfind('.') + 1);
    const auto is_one_of = [&](auto... maps) { return ((map == maps) || ...); };
    if (owner.find(".mlp.") != std::string_view::npos) {
        if (is_one_of("up", "gate", "router")) return StreamUse::kMlpReads;
        if (map == "down") return StreamUse::kMlpWrites;
    } else if (owner.ends_with(".attn." + std::string(map))) {
        if (is_one_of("q", "k", "v", "kv_down", "k_rope")) return StreamUse::kAttentionReads;
        if (map == "o") return StreamUse::kAttentionWrites;
    }
    return StreamUse::kNone;
}

}  // namespace headroom
