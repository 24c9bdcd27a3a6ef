#include "core/model/panel_weights.h"

#include <algorithm>

#include "core/cpu/weight_panels.h"
#include "core/ops/cast.h"

namespace headroom {
namespace {

/// The node that makes `value` and nothing else, if it is a copy of another number type.
size_t copying_node(const Graph& graph, ValueId value) {
    const auto& nodes = graph.nodes();
    const auto makes = [&](const Node& node) {
        return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
    };
    const auto node = std::find_if(nodes.begin(), nodes.end(), makes);
    if (std::count_if(nodes.begin(), nodes.end(), makes) != 1 ||
        dynamic_cast<const Cast*>(node->op.get()) == nullptr)
        return nodes.size();
    return static_cast<size_t>(node - nodes.begin());
}

bool all_readers_take_panels(const Graph& graph, ValueId value) {
    for (const Node& node : graph.nodes())
        for (size_t i = 0; i < node.inputs.size(); ++i)
            if (node.inputs[i] == value && !node.op->takes_panels(static_cast<int>(i)))
                return false;
    return true;
}

}  // namespace

void lay_out_weights(Graph& graph, const Device& device, DType precision) {
    if (device.weight_layout(precision) != MemoryLayout::kPanels) return;
    for (ValueId id = 0; id < static_cast<ValueId>(graph.values().size()); ++id) {
        const Value& value = graph.value(id);
        if (value.role != Role::kWorkingCopy || !fits_panels(value.type.shape) ||
            !all_readers_take_panels(graph, id))
            continue;
        const size_t node = copying_node(graph, id);
        if (node < graph.nodes().size())
            graph.replace_op(node, std::make_shared<Cast>(value.type.dtype, MemoryLayout::kPanels));
    }
}

}  // namespace headroom
