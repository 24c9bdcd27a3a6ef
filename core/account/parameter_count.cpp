#include "core/account/parameter_count.h"

#include <algorithm>

#include "core/model/parameters.h"

namespace headroom {

ParameterCount count_parameters(const ModelConfig& model) {
    ParameterCount count;
    count.by_layer.assign(static_cast<size_t>(model.n_layer), 0);
    for (const ParameterSpec& spec : parameter_specs(model)) {
        const int64_t n = spec.count();
        count.total += n;
        if (is_active(model, spec)) count.active += n;
        if (spec.role != ParameterRole::kPosition) count.without_positions += n;
        if (spec.role != ParameterRole::kPosition && spec.role != ParameterRole::kEmbedding &&
            spec.role != ParameterRole::kHead)
            count.non_embedding += n;
        if (spec.layer >= 0) count.by_layer[static_cast<size_t>(spec.layer)] += n;
        const std::string role(name_of(spec.role));
        const auto known = std::find_if(count.by_role.begin(), count.by_role.end(),
                                        [&](const auto& entry) { return entry.first == role; });
        if (known == count.by_role.end())
            count.by_role.emplace_back(role, n);
        else
            known->second += n;
    }
    return count;
}

}  // namespace headroom
