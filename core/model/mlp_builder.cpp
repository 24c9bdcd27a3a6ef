#include "core/model/mlp_builder.h"

#include <fmt/format.h>

#include "core/model/mlp_activation.h"
#include "core/ops/activation.h"

namespace headroom {

void MlpBuilder::add_parameters(ParameterList& list, int layer) {
    const ModelConfig& m = list.model();
    const std::string mlp = fmt::format("h.{}.mlp.", layer);
    const Shape up{m.d_model, m.d_ff}, down{m.d_ff, m.d_model};
    if (is_gated(m.mlp.at(layer))) list.add_projection(mlp + "gate", up, ParameterRole::kMlp);
    list.add_projection(mlp + "up", up, ParameterRole::kMlp);
    list.add_projection(mlp + "down", down, ParameterRole::kMlp, list.residual_std());
}

ValueId MlpBuilder::build(int layer, ValueId u) {
    const std::string m = emit_.layer_name(layer) + "mlp.";
    const std::string weights = emit_.layer_weights(layer) + "mlp.";
    const MlpKind mlp = emit_.model().mlp.at(layer);
    const ActivationKind kind = activation_of(mlp);
    const ValueId up = emit_.linear(weights + "up", u, m + "up");
    ValueId hidden = kNoValue;
    if (is_gated(mlp)) {
        const ValueId gate = emit_.linear(weights + "gate", u, m + "gate");
        hidden = emit_.apply1(std::make_shared<GatedActivation>(kind), {gate, up}, m + "hidden");
    } else {
        hidden = emit_.apply1(std::make_shared<Activation>(kind), {up}, m + "hidden");
    }
    return emit_.dropout(emit_.linear(weights + "down", hidden, m + "out"), m + "out");
}

}  // namespace headroom
