#include "core/account/flops.h"

#include "core/model/parameters.h"

namespace headroom {

namespace {

/// How often a token uses the tensor, on average, times `positions`: shared layers use it once
/// each; of an image the patches alone are projected, and one position is told a class.
int64_t uses_of(const ModelConfig& model, const ParameterSpec& spec, int64_t positions) {
    if (spec.role == ParameterRole::kPatch) return model.n_patch();
    if (model.reads_images() && spec.role == ParameterRole::kHead) return 1;
    return positions * (model.share_layers && spec.layer >= 0 ? model.n_layer : 1);
}

}  // namespace

FlopCount count_flops(const ModelConfig& model, int64_t seq_len) {
    FlopCount flops;
    const int64_t positions = model.reads_images() ? model.n_position() : 1;
    for (const ParameterSpec& spec : parameter_specs(model)) {
        const bool looked_up =
            spec.role == ParameterRole::kPosition || spec.role == ParameterRole::kEmbedding;
        if (!spec.is_matrix() || looked_up || !is_active(model, spec)) continue;
        flops.product_parameters += uses_of(model, spec, positions) * spec.count();
    }
    flops.product_parameters /= positions;
    if (model.tie) flops.product_parameters += model.vocab_size * model.d_model;
    flops.forward_products = 2 * flops.product_parameters;
    const int64_t query_width = model.mla ? model.mla->d_nope + model.mla->d_r : model.d_head;
    const int64_t value_width = model.mla ? model.mla->d_v : model.d_head;
    flops.forward_attention =
        2 * model.n_layer * seq_len * model.n_head * (query_width + value_width);
    return flops;
}

}  // namespace headroom
