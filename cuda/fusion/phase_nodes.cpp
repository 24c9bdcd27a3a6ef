#include "cuda/fusion/phase_nodes.h"

#include <algorithm>

namespace headroom::cuda {

PhaseNodes::PhaseNodes(const Graph& graph, Phase phase)
    : graph_(graph), readers_(graph.values().size(), 0) {
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
        const Node& node = graph.nodes()[n];
        if (node.phase == phase) order_.push_back(n);
        for (const ValueId id : node.inputs) ++readers_[static_cast<size_t>(id)];
    }
}

bool PhaseNodes::only_reader(size_t place, ValueId value) const {
    const std::vector<ValueId>& inputs = at(place).inputs;
    return !is_persistent(graph_.value(value).role) && readers_[static_cast<size_t>(value)] == 1 &&
           std::count(inputs.begin(), inputs.end(), value) == 1;
}

Fusion PhaseNodes::joined(size_t first, size_t end) const {
    Fusion fusion;
    fusion.node.name = at(first).name;
    fusion.node.phase = at(first).phase;
    for (size_t place = first; place < end; ++place) {
        const Node& part = at(place);
        Node& node = fusion.node;
        node.inputs.insert(node.inputs.end(), part.inputs.begin(), part.inputs.end());
        node.outputs.insert(node.outputs.end(), part.outputs.begin(), part.outputs.end());
        node.writes.insert(node.writes.end(), part.writes.begin(), part.writes.end());
        fusion.nodes.push_back(order_[place]);
        fusion.cost.flops += part.op->cost(graph_.types_of(part.inputs)).flops;
        const bool named = place > first && part.op->name() == at(place - 1).op->name();
        if (!named) fusion.name += (place > first ? " + " : "") + std::string(part.op->name());
    }
    return fusion;
}

}  // namespace headroom::cuda
