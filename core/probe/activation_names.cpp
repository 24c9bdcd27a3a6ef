#include "core/probe/activation_names.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/graph/graph.h"

namespace headroom {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

/// What stands behind "blocks.I." and behind "h.I.".
constexpr std::array<NamePair, 15> kLayerAliases{{
    {"ln1.hook_normalized", "ln_1.out"},
    {"ln2.hook_normalized", "ln_2.out"},
    {"attn.hook_q", "attn.q"},
    {"attn.hook_k", "attn.k"},
    {"attn.hook_v", "attn.v"},
    {"attn.hook_rot_q", "attn.q.rotated"},
    {"attn.hook_rot_k", "attn.k.rotated"},
    {"attn.hook_z", "attn.heads"},
    {"attn.hook_pattern", "attn.weights"},
    {"attn.hook_attn_scores", "attn.logits"},
    {"hook_attn_out", "attn.out"},
    {"hook_resid_mid", "mid"},
    {"mlp.hook_post", "mlp.hidden"},
    {"hook_mlp_out", "mlp.out"},
    {"hook_resid_post", "out"},
}};

bool ends_with_any(std::string_view name, std::string_view a, std::string_view b) {
    return name.ends_with(a) || name.ends_with(b);
}

}  // namespace

std::string canonical_activation(std::string_view name) {
    if (name == "blocks.0.hook_resid_pre") return "embed";
    if (name == "ln_final.hook_normalized") return "ln_f.out";
    if (constexpr std::string_view before = ".turned"; name.ends_with(before))
        return std::string(name.substr(0, name.size() - before.size())) + ".rotated";
    if (!name.starts_with("blocks.")) return std::string(name);
    const std::string_view rest = name.substr(7);
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return std::string(name);
    const std::string_view layer = rest.substr(0, dot), hook = rest.substr(dot + 1);
    for (const auto& [alias, ours] : kLayerAliases)
        if (hook == alias) return fmt::format("h.{}.{}", layer, ours);
    return std::string(name);
}

std::vector<std::string> activation_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes()) {
        if (node.phase != Phase::kForward) continue;
        for (const ValueId output : node.outputs) names.push_back(graph.value(output).name);
    }
    return names;
}

std::string resolve_activation(const Graph& graph, std::string_view name) {
    const std::string ours = canonical_activation(name);
    if (ends_with_any(ours, ".attn.weights", ".attn.logits"))
        throw UserError(fmt::format("{} is not kept by a forward pass", ours),
                        "use `headroom probe attention`");
    const std::vector<std::string> known = activation_names(graph);
    for (const std::string& value : known)
        if (value == ours) return value;
    const std::string near = nearest(ours, known);
    throw UserError(fmt::format("the model has no activation {}", name),
                    near.empty() ? "core/README.md lists the names"
                                 : fmt::format("did you mean \"{}\"?", near));
}

}  // namespace headroom
