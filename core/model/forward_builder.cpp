#include "core/model/forward_builder.h"

#include <fmt/format.h>

namespace headroom {

void ForwardBuilder::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    InputBuilder::add_parameters(list);
    // With shared layers only those of the first are stored.
    const int n_stored = m.share_layers ? 1 : static_cast<int>(m.n_layer);
    for (int layer = 0; layer < n_stored; ++layer) {
        list.set_layer(layer);
        const std::string h = fmt::format("h.{}.", layer);
        list.add_norm(h + "ln_1", m.norm.at(layer));
        AttentionBuilder::add_parameters(list, layer);
        if (m.has_mlp_norm()) list.add_norm(h + "ln_2", m.norm.at(layer));
        MlpBuilder::add_parameters(list, layer);
        ResidualBuilder::add_parameters(list, layer);
    }
    list.set_layer(-1);
    ResidualBuilder::add_parameters(list);
    list.add_norm("ln_f", m.norm_f);
}

ForwardBuilder::ForwardBuilder(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                               ForwardOptions options)
    : model_(model),
      emit_(graph, model, weights, std::move(options)),
      input_(emit_),
      attention_(make_attention_builder(emit_)),
      mlp_(emit_),
      residual_(make_residual_builder(emit_)) {}

ValueId ForwardBuilder::build(ValueId tokens) {
    residual_->begin(input_.build(tokens));
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

/// y = x + Attn(LN1(x)), out = y + MLP(LN2(y)); each skip can be switched off.
void ForwardBuilder::serial_block(int layer) {
    const std::string h = emit_.layer_name(layer);
    residual_->add_branch(layer, "attn", model_.skip_attn.at(layer), h + "mid", [&](ValueId x) {
        return attention_->build(layer, normed(layer, "ln_1", x));
    });
    residual_->add_branch(layer, "mlp", model_.skip_mlp.at(layer), h + "out",
                          [&](ValueId x) { return mlp_.build(layer, normed(layer, "ln_2", x)); });
}

/// out = x + Attn(LN1(x)) + MLP(u), u = LN1(x) or LN2(x) where the MLP has a norm of its own; the
/// skip can be switched off.
void ForwardBuilder::parallel_block(int layer) {
    const std::string h = emit_.layer_name(layer);
    residual_->add_branch(layer, "attn", model_.skip_attn.at(layer), h + "out", [&](ValueId x) {
        const ValueId u = normed(layer, "ln_1", x);
        const ValueId a = attention_->build(layer, u);
        const ValueId m = model_.has_mlp_norm() ? normed(layer, "ln_2", x) : u;
        return emit_.add(a, mlp_.build(layer, m), h + "branch");
    });
}

ValueId ForwardBuilder::normed(int layer, const char* norm, ValueId x) {
    return emit_.norm(model_.norm.at(layer), model_.norm_eps, emit_.layer_weights(layer) + norm, x,
                      emit_.layer_name(layer) + norm + ".out");
}

}  // namespace headroom
