// The tensors of attention_builder.h, of both its forms.
#include <fmt/format.h>

#include "core/model/attention_builder.h"

namespace headroom {
namespace {

/// A mixture chosen by its name has one in every layer but the first, also where SkipVk does
/// not mix yet; a table of the user's where it names it.
bool has_lambda(const ModelConfig& m, int layer) {
    const WiringChoice& choice = m.wiring_choice;
    const bool mixes =
        choice.value_source == "res" || (choice.value_source == "skip" && choice.skip_res);
    if (!m.custom_wiring && mixes && choice.res_lambda_learned) return layer > 0;
    return learns_lambda(m.wiring, layer);
}

void add_nonlinear(ParameterList& list, const std::string& name, int64_t rank, ParameterRole role) {
    const int64_t d = list.model().d_model;
    list.add(name + "norm.weight", {d}, ParameterRole::kNorm, 0);
    list.add(name + "up.weight", {d, rank}, role, list.init_std());
    list.add(name + "down.weight", {rank, d}, role, list.init_std());
    list.add(name + "ln.weight", {d}, ParameterRole::kNorm, 0);
}

void add_query(ParameterList& list, const std::string& attn, QueryMap map) {
    const ModelConfig& m = list.model();
    if (map == QueryMap::kLinear || map == QueryMap::kResidual)
        list.add_projection(attn + "q", {m.d_model, m.n_head * m.d_head}, ParameterRole::kQuery);
    if (map == QueryMap::kNonlinear)
        add_nonlinear(list, attn + "nq.", m.nq_rank, ParameterRole::kQuery);
}

void add_own_keys_and_values(ParameterList& list, const std::string& attn, int layer) {
    const ModelConfig& m = list.model();
    const int64_t keys = m.wiring.own_key_heads[static_cast<size_t>(layer)];
    const int64_t values = m.wiring.own_value_heads[static_cast<size_t>(layer)];
    const ValueMap value = m.value.at(layer);
    if (m.key.at(layer) == Projection::kLinear && keys > 0)
        list.add_projection(attn + "k", {m.d_model, keys * m.d_head}, ParameterRole::kKey);
    if (value == ValueMap::kLinear && values > 0)
        list.add_projection(attn + "v", {m.d_model, values * m.d_head}, ParameterRole::kValue);
    if (value == ValueMap::kNonlinear && values > 0)
        add_nonlinear(list, attn + "nv.", m.nv_rank, ParameterRole::kValue);
}

void add_heads(ParameterList& list, const std::string& attn, int layer) {
    const ModelConfig& m = list.model();
    add_query(list, attn, m.query.at(layer));
    add_own_keys_and_values(list, attn, layer);
    if (m.qk_norm) {
        list.add(attn + "q_norm.weight", {m.d_head}, ParameterRole::kNorm, 0);
        list.add(attn + "k_norm.weight", {m.d_head}, ParameterRole::kNorm, 0);
    }
    if (has_lambda(m, layer))
        list.add(attn + "lambda", {1}, ParameterRole::kMixing, 0, kInitialLambda);
}

void add_latent_heads(ParameterList& list, const std::string& attn, int layer,
                      const MlaConfig& mla) {
    const int64_t d = list.model().d_model, n = list.model().n_head;
    const auto matrix = [&](const char* name, int64_t rows, int64_t columns, ParameterRole role) {
        if (columns > 0) list.add(attn + name + ".weight", {rows, columns}, role, list.init_std());
    };
    list.add_projection(attn + "q", {d, n * (mla.d_nope + mla.d_r)}, ParameterRole::kQuery);
    matrix("kv_down", d, list.model().wiring.latents[static_cast<size_t>(layer)].own,
           ParameterRole::kLatent);
    matrix("k_rope", d, mla.d_r, ParameterRole::kLatent);
    matrix("k_up", mla.d_c, n * mla.d_nope, ParameterRole::kKey);
    matrix("v_up", mla.d_c, n * mla.d_v, ParameterRole::kValue);
}

}  // namespace

void AttentionBuilder::add_parameters(ParameterList& list, int layer) {
    const ModelConfig& m = list.model();
    const std::string attn = fmt::format("h.{}.attn.", layer);
    if (m.mla)
        add_latent_heads(list, attn, layer, *m.mla);
    else
        add_heads(list, attn, layer);
    const int64_t width = m.n_head * (m.mla ? m.mla->d_v : m.d_head);
    if (m.out_proj.at(layer) == Projection::kLinear)
        list.add_projection(attn + "o", {width, m.d_model}, ParameterRole::kOutput,
                            list.residual_std());
}

}  // namespace headroom
