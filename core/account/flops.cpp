#include "core/account/flops.h"

#include "core/model/parameters.h"

namespace headroom {

FlopCount count_flops(const ModelConfig& model, int64_t seq_len) {
    FlopCount flops;
    for (const ParameterSpec& spec : parameter_specs(model)) {
        const bool looked_up =
            spec.role == ParameterRole::kPosition || spec.role == ParameterRole::kEmbedding;
        if (!spec.is_matrix() || looked_up) continue;
        const int64_t uses = model.share_layers && spec.layer >= 0 ? model.n_layer : 1;
        flops.product_parameters += uses * spec.count();
    }
    if (model.tie) flops.product_parameters += model.vocab_size * model.d_model;
    flops.forward_products = 2 * flops.product_parameters;
    const int64_t query_width = model.mla ? model.mla->d_nope + model.mla->d_r : model.d_head;
    const int64_t value_width = model.mla ? model.mla->d_v : model.d_head;
    flops.forward_attention =
        2 * model.n_layer * seq_len * model.n_head * (query_width + value_width);
    return flops;
}

}  // namespace headroom
