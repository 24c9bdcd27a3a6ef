#include "core/model/weight_layout.h"

#include <algorithm>

#include "core/cpu/weight_panels.h"

namespace headroom {
namespace {

bool takes_panels(const Node& node, ValueId value) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] == value && !node.op->takes_panels(static_cast<int>(i))) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] == value && !node.op->makes_panels(static_cast<int>(i))) return false;
    return true;
}

}  // namespace

void lay_out_weights(Graph& graph, const Device& device, DType precision) {
    if (device.weight_layout(precision) != MemoryLayout::kPanels) return;
    for (ValueId id = 0; id < static_cast<ValueId>(graph.values().size()); ++id) {
        const Value& value = graph.value(id);
        if (value.role == Role::kWorkingCopy && fits_panels(value.type.shape) &&
            std::all_of(graph.nodes().begin(), graph.nodes().end(),
                        [&](const Node& node) { return takes_panels(node, id); }))
            graph.set_layout(id, MemoryLayout::kPanels);
    }
}

}  // namespace headroom
