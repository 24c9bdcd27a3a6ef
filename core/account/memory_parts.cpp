#include "core/account/memory_parts.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace headroom {
namespace {

/// "" for what is not held per tensor.
std::string_view heading_of(Role role) {
    switch (role) {
        case Role::kParameter:
        case Role::kWorkingCopy:
            return "weights";
        case Role::kGradient:
            return "gradients";
        case Role::kOptimizer:
            return "optimizer";
        default:
            return "";
    }
}

struct Place {
    int layer = -1;
    std::string name;
};

/// Where a tensor belongs by its name, such as h.3.mlp.c_fc.weight or wte.weight.
Place place_of(std::string_view tensor) {
    Place place;
    if (tensor.starts_with("h.")) {
        tensor.remove_prefix(2);
        const auto [end, error] =
            std::from_chars(tensor.data(), tensor.data() + tensor.size(), place.layer);
        if (error == std::errc() && end != tensor.data() + tensor.size())
            tensor.remove_prefix(static_cast<size_t>(end - tensor.data()) + 1);
    }
    const std::string_view word = tensor.substr(0, tensor.find('.'));
    place.name = word == "wte"             ? "embedding"
                 : word == "wpe"           ? "positions"
                 : word == "patch"         ? "patches"
                 : word == "cls_token"     ? "class token"
                 : word == "lm_head"       ? "output head"
                 : word == "head"          ? "output head"
                 : word == "attn"          ? "attention"
                 : word == "mlp"           ? "MLP"
                 : word.starts_with("ln_") ? "norms"
                 : word.starts_with("hc_") ? "hyper-connections"
                                           : std::string(word);
    return place;
}

}  // namespace

std::vector<MemoryPart> memory_parts(const Graph& graph) {
    std::vector<MemoryPart> parts;
    for (const Value& value : graph.values()) {
        const std::string_view heading = heading_of(value.role);
        if (heading.empty()) continue;
        const Place place = place_of(value.name);
        auto part = std::find_if(parts.begin(), parts.end(), [&](const MemoryPart& other) {
            return other.heading == heading && other.layer == place.layer &&
                   other.name == place.name;
        });
        if (part == parts.end())
            part = parts.insert(parts.end(), {std::string(heading), place.layer, place.name, 0});
        const int64_t bytes = value.type.bytes();
        part->bytes += (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    }
    return parts;
}

}  // namespace headroom
