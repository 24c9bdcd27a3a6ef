#include "core/model/attention_builder.h"

#include <algorithm>

#include "core/ops/activation.h"
#include "core/ops/column_mix.h"
#include "core/ops/norm.h"
#include "core/ops/rotary.h"
#include "core/wiring/wiring_summary.h"

namespace headroom {
namespace {

/// Of the norms inside a nonlinear query or value.
constexpr double kNonlinearEps = 1e-5;

/// The place of `value` in `inputs`, appended if it is not there.
int place_of(ValueId value, std::vector<ValueId>& inputs, size_t from) {
    auto at = std::find(inputs.begin() + static_cast<std::ptrdiff_t>(from), inputs.end(), value);
    if (at == inputs.end()) at = inputs.insert(at, value);
    return static_cast<int>(at - inputs.begin());
}

/// The summand of a mixture whose weight is fixed or follows lambda.
MixTerm term_of(const HeadSource& source, int input, int64_t d_head) {
    MixTerm term{input, source.head * d_head, source.weight};
    if (source.learned == SourceWeight::kFixed) return term;
    const bool one_minus = source.learned == SourceWeight::kOneMinusLambda;
    term.constant = one_minus ? 1.0 : 0.0;
    term.slope = one_minus ? -1.0 : 1.0;
    term.weights = 0;
    return term;
}

}  // namespace

ValueId AttentionBuilder::build(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.out";
    const ValueId joined = model_.mla ? latent_heads(layer, u) : heads(layer, u);
    const ValueId out = model_.out_proj.at(layer) == Projection::kIdentity
                            ? joined
                            : emit_.linear(emit_.layer_weights(layer) + "attn.o", joined, name);
    return emit_.dropout(out, name);
}

ValueId AttentionBuilder::heads(int layer, ValueId u) {
    std::vector<ValueId> inputs{query(layer, u)};
    project_own_keys(layer, u);
    project_own_values(layer, u);
    AttentionOptions options;
    options.n_kv_head = model_.n_kv_head;
    options.d_head = model_.d_head;
    options.key_heads = head_refs(layer, KvTable::kKeys, inputs);
    options.value_heads = head_refs(layer, KvTable::kValues, inputs);
    return attend(layer, std::move(options), std::move(inputs));
}

/// semantics: linear u W_Q, identity u, residual u + u W_Q, nonlinear u + LN(GELU(RMS(u) W_1) W_2).
ValueId AttentionBuilder::query(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.";
    const std::string weights = emit_.layer_weights(layer) + "attn.";
    const QueryMap map = model_.query.at(layer);
    ValueId q = u;
    if (map == QueryMap::kLinear) q = emit_.linear(weights + "q", u, name + "q");
    if (map == QueryMap::kResidual)
        q = emit_.add(u, emit_.linear(weights + "q", u, name + "q.change"), name + "q");
    if (map == QueryMap::kNonlinear) q = nonlinear(layer, u, "nq", "q");
    return norm_and_rotate(q, weights + "q_norm", name + "q");
}

/// semantics: u + LN(GELU(RMS(u) W_1) W_2), the weights below `part`, the sum named `out`.
ValueId AttentionBuilder::nonlinear(int layer, ValueId u, const std::string& part,
                                    const std::string& out) {
    const std::string name = emit_.layer_name(layer) + "attn.";
    const std::string weights = emit_.layer_weights(layer) + "attn.";
    ValueId x = emit_.norm(NormKind::kRmsNorm, kNonlinearEps, weights + part + ".norm", u,
                           name + part + ".norm.out");
    x = emit_.linear(weights + part + ".up", x, name + part + ".up");
    x = emit_.apply1(std::make_shared<Activation>(ActivationKind::kGelu), {x},
                     name + part + ".hidden");
    x = emit_.linear(weights + part + ".down", x, name + part + ".down");
    x = emit_.norm(NormKind::kLayerNorm, kNonlinearEps, weights + part + ".ln", x,
                   name + part + ".ln.out");
    return emit_.add(u, x, name + out);
}

void AttentionBuilder::project_own_keys(int layer, ValueId u) {
    keys_.push_back(kNoValue);
    if (model_.wiring.own_key_heads[static_cast<size_t>(layer)] == 0) return;
    const std::string name = emit_.layer_name(layer) + "attn.k";
    const std::string weights = emit_.layer_weights(layer) + "attn.k";
    const ValueId k =
        model_.key.at(layer) == Projection::kIdentity ? u : emit_.linear(weights, u, name);
    keys_.back() = norm_and_rotate(k, weights + "_norm", name);
}

void AttentionBuilder::project_own_values(int layer, ValueId u) {
    values_.push_back(kNoValue);
    if (model_.wiring.own_value_heads[static_cast<size_t>(layer)] == 0) return;
    const ValueMap map = model_.value.at(layer);
    values_.back() = map == ValueMap::kIdentity ? u
                     : map == ValueMap::kNonlinear
                         ? nonlinear(layer, u, "nv", "v")
                         : emit_.linear(emit_.layer_weights(layer) + "attn.v", u,
                                        emit_.layer_name(layer) + "attn.v");
}

/// QK-norm, then rotation, where the model has them.
ValueId AttentionBuilder::norm_and_rotate(ValueId x, const std::string& norm_weight,
                                          const std::string& name) {
    if (model_.qk_norm)
        x = emit_.norm(NormKind::kRmsNorm, model_.qk_norm_eps, norm_weight, x, name + ".normed");
    if (model_.pos != Positions::kRope) return x;
    RotaryOptions rotary;
    rotary.d_head = model_.d_head;
    rotary.width = model_.rope_dim;
    rotary.theta = model_.rope_theta;
    rotary.interleaved = model_.rope_style == RopeStyle::kInterleaved;
    return emit_.apply1(std::make_shared<Rotary>(rotary), {x}, name + ".rotated");
}

std::vector<HeadRef> AttentionBuilder::head_refs(int layer, KvTable which,
                                                 std::vector<ValueId>& inputs) {
    const bool keys = which == KvTable::kKeys;
    const auto& table = keys ? model_.wiring.keys : model_.wiring.values;
    const std::vector<HeadSources>& sources = table[static_cast<size_t>(layer)];
    const std::vector<ValueId>& projected = keys ? keys_ : values_;
    std::vector<HeadRef> refs(sources.size());
    std::vector<HeadSources> mixtures;
    std::vector<HeadRef*> mixed;
    for (size_t g = 0; g < sources.size(); ++g) {
        if (const HeadSource* single = single_source(sources[g])) {
            const ValueId tensor = projected[static_cast<size_t>(single->layer)];
            refs[g] = {place_of(tensor, inputs, 1), single->head};
        } else if (!sources[g].empty() || keys) {  // a value of nothing is {-1, 0}
            mixtures.push_back(sources[g]);
            mixed.push_back(&refs[g]);
        }
    }
    if (mixtures.empty()) return refs;
    const std::string name = emit_.layer_name(layer) + (keys ? "attn.k.mixed" : "attn.v.mixed");
    inputs.push_back(mixed_heads(layer, mixtures, projected, name, inputs[0]));
    for (size_t m = 0; m < mixed.size(); ++m)
        *mixed[m] = {static_cast<int>(inputs.size()) - 1, static_cast<int>(m)};
    return refs;
}

/// One tensor of all heads that are not simply another's. `query` stands in where nothing is read.
ValueId AttentionBuilder::mixed_heads(int layer, const std::vector<HeadSources>& mixtures,
                                      const std::vector<ValueId>& projected,
                                      const std::string& name, ValueId query) {
    ColumnMixOptions mix;
    std::vector<ValueId> inputs;
    for (const HeadSources& sources : mixtures) {
        MixPiece piece{model_.d_head, {}};
        for (const HeadSource& source : sources) {
            const int input = place_of(projected[static_cast<size_t>(source.layer)], inputs, 0);
            piece.terms.push_back(term_of(source, input, model_.d_head));
        }
        mix.pieces.push_back(std::move(piece));
    }
    if (inputs.empty()) inputs.push_back(query);
    mix.n_data = inputs.size();
    const bool learned = std::any_of(mix.pieces.begin(), mix.pieces.end(), [](const MixPiece& p) {
        return std::any_of(p.terms.begin(), p.terms.end(),
                           [](const MixTerm& term) { return term.weights >= 0; });
    });
    if (learned)
        inputs.push_back(emit_.weights().master(emit_.layer_weights(layer) + "attn.lambda"));
    return emit_.apply1(std::make_shared<ColumnMix>(std::move(mix)), std::move(inputs), name);
}

/// Latent attention, DeepSeek-AI 2024, arXiv:2405.04434, section 2.1, without compressed queries.
ValueId AttentionBuilder::latent_heads(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.";
    const std::string weights = emit_.layer_weights(layer) + "attn.";
    const MlaConfig& mla = *model_.mla;
    AttentionOptions options;
    options.n_kv_head = model_.n_head;
    options.d_head = mla.d_nope + mla.d_r;
    options.d_value = mla.d_v;
    for (int h = 0; h < static_cast<int>(model_.n_head); ++h) {
        options.key_heads.push_back({1, h});
        options.value_heads.push_back({2, h});
    }
    const ValueId c = latent(layer, u);
    const ValueId k = latent_keys(layer, u, c);
    const ValueId v = emit_.linear(weights + "v_up", c, name + "v");
    return attend(layer, std::move(options), {latent_query(layer, u), k, v});
}

/// Every head its content part, then its rotary part, turned.
ValueId AttentionBuilder::latent_query(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.q";
    const MlaConfig& mla = *model_.mla;
    const ValueId q = emit_.linear(emit_.layer_weights(layer) + "attn.q", u, name);
    if (mla.d_r == 0) return q;
    const RotaryOptions rotary{mla.d_nope + mla.d_r, mla.d_nope, mla.d_r, model_.rope_theta,
                               model_.rope_style == RopeStyle::kInterleaved};
    return emit_.apply1(std::make_shared<Rotary>(rotary), {q}, name + ".rotated");
}

ValueId AttentionBuilder::latent_rope(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.k_rope";
    const int64_t d_r = model_.mla->d_r;
    const RotaryOptions rotary{d_r, 0, d_r, model_.rope_theta,
                               model_.rope_style == RopeStyle::kInterleaved};
    const ValueId k = emit_.linear(emit_.layer_weights(layer) + "attn.k_rope", u, name);
    return emit_.apply1(std::make_shared<Rotary>(rotary), {k}, name + ".rotated");
}

void AttentionBuilder::project_own_latent(int layer, ValueId u) {
    const int64_t own = model_.wiring.latents[static_cast<size_t>(layer)].own;
    latents_.push_back(own == 0 ? kNoValue
                                : emit_.linear(emit_.layer_weights(layer) + "attn.kv_down", u,
                                               emit_.layer_name(layer) + "attn.latent.own"));
}

/// The layer's own coordinates and, where it shares some, those of the source.
ValueId AttentionBuilder::latent(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.latent";
    const LatentSharing& made = model_.wiring.latents[static_cast<size_t>(layer)];
    project_own_latent(layer, u);
    if (made.shared == 0) return latents_.back();
    const ValueId source = latents_[static_cast<size_t>(made.source)];
    if (made.own == 0) return source;
    ColumnMixOptions joined{2, {{made.own, {{0, 0}}}, {made.shared, {{1, made.own}}}}};
    return emit_.apply1(std::make_shared<ColumnMix>(std::move(joined)), {latents_.back(), source},
                        name);
}

/// K^h = [content key of head h | the rotary key that all heads share].
ValueId AttentionBuilder::latent_keys(int layer, ValueId u, ValueId latent) {
    const std::string name = emit_.layer_name(layer) + "attn.";
    const std::string weights = emit_.layer_weights(layer) + "attn.";
    const MlaConfig& mla = *model_.mla;
    const ValueId content = emit_.linear(weights + "k_up", latent, name + "k_up");
    if (mla.d_r == 0) return content;
    const ValueId turned = latent_rope(layer, u);
    ColumnMixOptions joined{2, {}};
    for (int64_t h = 0; h < model_.n_head; ++h) {
        joined.pieces.push_back({mla.d_nope, {{0, h * mla.d_nope}}});
        joined.pieces.push_back({mla.d_r, {{1, 0}}});
    }
    return emit_.apply1(std::make_shared<ColumnMix>(std::move(joined)), {content, turned},
                        name + "k");
}

ValueId AttentionBuilder::attend(int layer, AttentionOptions options, std::vector<ValueId> inputs) {
    const std::string name = emit_.layer_name(layer) + "attn.";
    options.n_head = model_.n_head;
    options.scale = model_.attn_scale;
    options.causal = model_.causal;
    options.dropout = emit_.options().dropout;
    options.stream = emit_.next_stream();
    return emit_.apply_first(std::make_shared<Attention>(std::move(options)), std::move(inputs),
                             {name + "heads", name + "lse"});
}

}  // namespace headroom
