#include "core/model/graph_weights.h"

#include "core/ops/cast.h"

namespace headroom {

GraphWeights::GraphWeights(Graph& graph, const ModelConfig& model, DType precision)
    : graph_(graph) {
    const DType stored = accumulator_of(precision);
    for (const ParameterSpec& spec : parameter_specs(model)) {
        const ValueId id = graph.add_value(spec.name, {stored, spec.shape}, Role::kParameter);
        parameters_.push_back({spec, id, kNoValue, kNoValue, kNoValue});
        by_name_.emplace(spec.name, id);
        const bool only_looked_up = spec.role == ParameterRole::kPosition ||
                                    (spec.role == ParameterRole::kEmbedding && !model.tie);
        const bool exact = spec.role == ParameterRole::kRouter;
        if (stored == precision || !spec.is_matrix() || only_looked_up || exact) continue;
        const ValueId copy =
            graph.add_value(spec.name + ".copy", {precision, spec.shape}, Role::kWorkingCopy);
        graph.set_master(copy, id);
        copies_.emplace(spec.name, copy);
    }
}

ValueId GraphWeights::master(const std::string& name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? kNoValue : it->second;
}

ValueId GraphWeights::copy(const std::string& name) const {
    const auto it = copies_.find(name);
    return it == copies_.end() ? kNoValue : it->second;
}

ValueId GraphWeights::matrix(const std::string& name) const {
    const ValueId made = copy(name);
    return made == kNoValue ? master(name) : made;
}

void GraphWeights::append_copies() const {
    for (const auto& [name, copy] : copies_)
        graph_.append({std::make_shared<Cast>(graph_.value(copy).type.dtype),
                       name + ".copy",
                       Phase::kPrepare,
                       {by_name_.at(name)},
                       {copy},
                       {Write::kOverwrite}});
}

}  // namespace headroom
