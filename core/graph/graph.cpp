#include "core/graph/graph.h"

#include <algorithm>

namespace headroom {

bool is_persistent(Role role) {
    return role != Role::kActivation && role != Role::kActivationGradient;
}

ValueId Graph::add_value(std::string name, TensorType type, Role role) {
    CHECK(!by_name_.contains(name), "two values are called " + name);
    const auto id = static_cast<ValueId>(values_.size());
    by_name_.emplace(name, id);
    values_.push_back({std::move(name), std::move(type), role, kNoValue});
    return id;
}

std::vector<ValueId> Graph::apply(Phase phase, OpPtr op, std::vector<ValueId> inputs,
                                  std::vector<std::string> names, Role role) {
    const std::vector<TensorType> in_types = types_of(inputs);
    const std::vector<TensorType> out_types = op->infer(in_types);
    CHECK(out_types.size() == names.size(), "one name per output of " + std::string(op->name()));
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < names.size(); ++i)
        outputs.push_back(add_value(names[i], out_types[i], role));
    append({std::move(op), names.front(), phase, std::move(inputs), outputs,
            std::vector<Write>(outputs.size(), Write::kOverwrite)});
    return outputs;
}

ValueId Graph::apply1(Phase phase, OpPtr op, std::vector<ValueId> inputs, const std::string& name,
                      Role role) {
    return apply(phase, std::move(op), std::move(inputs), {name}, role).front();
}

void Graph::append(Node node) {
    nodes_.emplace_back();
    set_node(nodes_.size() - 1, std::move(node));
}

void Graph::set_node(size_t i, Node node) {
    CHECK(node.outputs.size() == node.writes.size(), "one write mode per output of " + node.name);
    nodes_[i] = std::move(node);
}

void Graph::remove_node(size_t i) {
    nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(i));
}

void Graph::keep(ValueId id) {
    values_[index(id)].role = Role::kResult;
}

std::vector<TensorType> Graph::types_of(const std::vector<ValueId>& ids) const {
    std::vector<TensorType> types;
    types.reserve(ids.size());
    for (const ValueId id : ids) types.push_back(value(id).type);
    return types;
}

ValueId Graph::find(std::string_view name) const {
    const auto it = by_name_.find(std::string(name));
    return it == by_name_.end() ? kNoValue : it->second;
}

}  // namespace headroom
