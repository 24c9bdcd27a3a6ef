#include "core/model/panel_weights.h"

#include <algorithm>

#include "core/cpu/weight_panels.h"
#include "core/ops/cast.h"

namespace headroom {
namespace {

bool is_cast(const Node& node) {
    return dynamic_cast<const Cast*>(node.op.get()) != nullptr;
}

/// Positions at which `value` stands in a list of values.
std::vector<int> places(const std::vector<ValueId>& values, ValueId value) {
    std::vector<int> found;
    for (size_t i = 0; i < values.size(); ++i)
        if (values[i] == value) found.push_back(static_cast<int>(i));
    return found;
}

bool takes_panels(const Node& node, ValueId value) {
    const std::vector<int> read = places(node.inputs, value), made = places(node.outputs, value);
    return std::all_of(read.begin(), read.end(), [&](int i) { return node.op->takes_panels(i); }) &&
           std::all_of(made.begin(), made.end(),
                       [&](int i) { return is_cast(node) || node.op->makes_panels(i); });
}

}  // namespace

void lay_out_weights(Graph& graph, const Device& device, DType precision) {
    if (device.weight_layout(precision) != MemoryLayout::kPanels) return;
    for (ValueId id = 0; id < static_cast<ValueId>(graph.values().size()); ++id) {
        const Value& value = graph.value(id);
        if (value.role != Role::kWorkingCopy || !fits_panels(value.type.shape) ||
            !std::all_of(graph.nodes().begin(), graph.nodes().end(),
                         [&](const Node& node) { return takes_panels(node, id); }))
            continue;
        const auto cast = std::make_shared<Cast>(value.type.dtype, MemoryLayout::kPanels);
        for (size_t n = 0; n < graph.nodes().size(); ++n)
            if (is_cast(graph.nodes()[n]) && !places(graph.nodes()[n].outputs, id).empty())
                graph.replace_op(n, cast);
    }
}

}  // namespace headroom
