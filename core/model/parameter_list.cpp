#include "core/model/parameter_list.h"

#include <cmath>

namespace headroom {

ParameterList::ParameterList(const ModelConfig& model)
    : model_(model),
      residual_std_(model.init_residual_scale
                        ? model.init_std / std::sqrt(2.0 * static_cast<double>(model.n_layer))
                        : model.init_std) {}

void ParameterList::add(std::string name, Shape shape, ParameterRole role, double init_std,
                        double init_value) {
    specs_.push_back(
        {std::move(name), std::move(shape), role, layer_, init_std, init_value, {}, expert_});
}

void ParameterList::add_values(std::string name, Shape shape, ParameterRole role,
                               std::vector<double> values) {
    add(std::move(name), std::move(shape), role, 0);
    specs_.back().init_values = std::move(values);
}

void ParameterList::add_projection(const std::string& name, Shape shape, ParameterRole role,
                                   double init_std) {
    const int64_t columns = shape.back();
    add(name + ".weight", std::move(shape), role, init_std);
    if (model_.bias) add(name + ".bias", {columns}, role, 0, 0.0);
}

void ParameterList::add_norm(const std::string& name, NormKind kind) {
    if (kind == NormKind::kNone) return;
    const Shape columns{model_.d_model};
    add(name + ".weight", columns, ParameterRole::kNorm, 0);
    const bool shifted = kind == NormKind::kDyT || (kind == NormKind::kLayerNorm && model_.bias);
    if (shifted) add(name + ".bias", columns, ParameterRole::kNorm, 0, 0.0);
    if (kind == NormKind::kDyT) add(name + ".alpha", {1}, ParameterRole::kNorm, 0, 0.5);
}

}  // namespace headroom
