#include "core/model/block_builder.h"

#include "core/model/mlp_activation.h"
#include "core/ops/activation.h"
#include "core/ops/embedding.h"

namespace headroom {

ForwardBuilder::ForwardBuilder(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                               ForwardOptions options)
    : model_(model),
      emit_(graph, model, weights, std::move(options)),
      attention_(make_attention_builder(emit_)),
      residual_(make_residual_builder(emit_)) {}

ValueId ForwardBuilder::build(ValueId tokens) {
    residual_->begin(embed(tokens));
    streams_.push_back(residual_->stream());
    for (int layer = 0; layer < model_.n_layer; ++layer) {
        if (model_.topology == Topology::kSerial)
            serial_block(layer);
        else
            parallel_block(layer);
        residual_->end_layer(layer);
        streams_.push_back(residual_->stream());
    }
    return emit_.norm(model_.norm_f, model_.norm_eps, "ln_f", residual_->end(), "ln_f.out");
}

ValueId ForwardBuilder::embed(ValueId tokens) {
    std::vector<ValueId> inputs{tokens, emit_.weights().master("wte.weight")};
    if (model_.pos == Positions::kLearned) inputs.push_back(emit_.weights().master("wpe.weight"));
    const auto embedding = std::make_shared<Embedding>(emit_.options().precision);
    return emit_.dropout(emit_.apply1(embedding, std::move(inputs), "embed"), "embed");
}

/// y = x + Attn(LN1(x)), out = y + MLP(LN2(y)); each skip can be switched off.
void ForwardBuilder::serial_block(int layer) {
    const std::string h = emit_.layer_name(layer);
    residual_->add_branch(layer, "attn", model_.skip_attn.at(layer), h + "mid", [&](ValueId x) {
        return attention_->build(layer, normed(layer, "ln_1", x));
    });
    residual_->add_branch(layer, "mlp", model_.skip_mlp.at(layer), h + "out",
                          [&](ValueId x) { return mlp(layer, normed(layer, "ln_2", x)); });
}

/// out = x + Attn(u) + MLP(u), u = LN1(x); the skip can be switched off.
void ForwardBuilder::parallel_block(int layer) {
    const std::string h = emit_.layer_name(layer);
    residual_->add_branch(layer, "attn", model_.skip_attn.at(layer), h + "out", [&](ValueId x) {
        const ValueId u = normed(layer, "ln_1", x);
        const ValueId a = attention_->build(layer, u);
        return emit_.add(a, mlp(layer, u), h + "branch");
    });
}

ValueId ForwardBuilder::normed(int layer, const char* norm, ValueId x) {
    return emit_.norm(model_.norm, model_.norm_eps, emit_.layer_weights(layer) + norm, x,
                      emit_.layer_name(layer) + norm + ".out");
}

ValueId ForwardBuilder::mlp(int layer, ValueId u) {
    const std::string m = emit_.layer_name(layer) + "mlp.";
    const std::string weights = emit_.layer_weights(layer) + "mlp.";
    const MlpKind mlp = model_.mlp.at(layer);
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
