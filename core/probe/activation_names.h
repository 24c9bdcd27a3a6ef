#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

class Graph;

/// Our name of an activation for one of TransformerLens's: "blocks.3.hook_resid_post" is
/// "h.3.out", "blocks.3.attn.hook_q" is "h.3.attn.q" (as attention reads it: after QK-norm and
/// rotation where the model has them, see resolve_activation). Other names are returned as they
/// are, but for ".turned", which ".rotated" was called before.
std::string canonical_activation(std::string_view name);

/// The name of the value in `graph` that `name`, ours or an alias, stands for. UserError naming the
/// nearest known activation if there is none, or if attention weights are meant, which no graph
/// keeps (see AttentionTap).
std::string resolve_activation(const Graph& graph, std::string_view name);

/// All activations of a forward pass that can be tapped, in execution order.
std::vector<std::string> activation_names(const Graph& graph);

}  // namespace headroom
