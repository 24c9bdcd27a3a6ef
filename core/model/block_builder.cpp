#include "core/model/block_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ops/activation.h"
#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/cast.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"

namespace headroom {
namespace {

ActivationKind activation_of(MlpKind kind) {
    switch (kind) {
        case MlpKind::kGelu:
        case MlpKind::kGeglu:
            return ActivationKind::kGelu;
        case MlpKind::kGeluTanh:
            return ActivationKind::kGeluTanh;
        case MlpKind::kRelu:
        case MlpKind::kReglu:
            return ActivationKind::kRelu;
        case MlpKind::kRelu2:
            return ActivationKind::kRelu2;
        case MlpKind::kSilu:
        case MlpKind::kSwiglu:
            return ActivationKind::kSilu;
    }
    CHECK(false, "unknown MLP");
}

/// Where attention finds one head. A wiring with sums of heads needs an operator that mixes them.
HeadRef head_ref(const HeadSources& sources, const std::vector<ValueId>& projected,
                 std::vector<ValueId>& inputs) {
    if (sources.empty()) return {-1, 0};
    const HeadSource& source = sources.front();
    CHECK(sources.size() == 1 && source.weight == 1.0, "sums of heads are refused by the config");
    const ValueId tensor = projected[static_cast<size_t>(source.layer)];
    auto at = std::find(inputs.begin() + 1, inputs.end(), tensor);
    if (at == inputs.end()) at = inputs.insert(at, tensor);
    return {static_cast<int>(at - inputs.begin()), source.head};
}

}  // namespace

GraphWeights::GraphWeights(Graph& graph, const ModelConfig& model, DType precision)
    : graph_(graph) {
    const DType stored = accumulator_of(precision);
    for (const ParameterSpec& spec : parameter_specs(model)) {
        const ValueId id = graph.add_value(spec.name, {stored, spec.shape}, Role::kParameter);
        parameters_.push_back({spec, id, kNoValue, kNoValue, kNoValue});
        by_name_.emplace(spec.name, id);
        const bool only_looked_up = spec.role == ParameterRole::kPosition ||
                                    (spec.role == ParameterRole::kEmbedding && !model.tie);
        if (stored == precision || !spec.is_matrix() || only_looked_up) continue;
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

ValueId GraphWeights::matrix(const std::string& name) const {
    const auto it = copies_.find(name);
    return it == copies_.end() ? master(name) : it->second;
}

void GraphWeights::append_copies(Phase phase) const {
    for (const auto& [name, copy] : copies_)
        graph_.append({std::make_shared<Cast>(graph_.value(copy).type.dtype),
                       name + ".copy",
                       phase,
                       {by_name_.at(name)},
                       {copy},
                       {Write::kOverwrite}});
}

ForwardBuilder::ForwardBuilder(Graph& graph, const ModelConfig& model, const GraphWeights& weights,
                               Options options)
    : graph_(graph), model_(model), weights_(weights), options_(std::move(options)) {}

ValueId ForwardBuilder::build(ValueId tokens) {
    keys_.clear();
    values_.clear();
    ValueId x = embed(tokens);
    for (int layer = 0; layer < model_.n_layer; ++layer) x = block(layer, x);
    return norm(model_.norm_f, "ln_f.weight", x, "ln_f.out");
}

ValueId ForwardBuilder::embed(ValueId tokens) {
    std::vector<ValueId> inputs{tokens, weights_.master("wte.weight")};
    if (model_.pos == Positions::kLearned) inputs.push_back(weights_.master("wpe.weight"));
    return dropout(apply1(std::make_shared<Embedding>(options_.precision), inputs, "embed"),
                   "embed");
}

/// Serial block: y = x + Attn(LN1(x)), out = y + MLP(LN2(y)); each skip can be switched off.
ValueId ForwardBuilder::block(int layer, ValueId x) {
    const std::string h = fmt::format("h.{}.", layer);
    const ValueId u = norm(model_.norm, h + "ln_1.weight", x, h + "ln_1.out");
    ValueId mid = attention(layer, u);
    if (model_.skip_attn) mid = apply1(std::make_shared<Add>(), {x, mid}, h + "mid");
    const ValueId w = norm(model_.norm, h + "ln_2.weight", mid, h + "ln_2.out");
    ValueId out = mlp(layer, w);
    if (model_.skip_mlp) out = apply1(std::make_shared<Add>(), {mid, out}, h + "out");
    return out;
}

ValueId ForwardBuilder::attention(int layer, ValueId u) {
    const std::string a = fmt::format("h.{}.attn.", layer);
    const auto at = static_cast<size_t>(layer);
    const Wiring& wiring = model_.wiring;
    const bool owns_keys = wiring.own_key_heads[at] > 0;
    const bool owns_values = wiring.own_value_heads[at] > 0;
    const auto project = [&](Projection map, const char* name) {
        return map == Projection::kIdentity ? u : linear(a + name + ".weight", u, a + name);
    };
    const ValueId q = model_.query == QueryMap::kIdentity ? u : linear(a + "q.weight", u, a + "q");
    keys_.push_back(owns_keys ? project(model_.key, "k") : kNoValue);
    values_.push_back(owns_values ? project(model_.value, "v") : kNoValue);

    AttentionOptions options;
    options.n_head = model_.n_head;
    options.n_kv_head = model_.n_kv_head;
    options.d_head = model_.d_head;
    options.scale = model_.attn_scale;
    options.dropout = options_.dropout;
    options.stream = next_stream_++;
    std::vector<ValueId> inputs{q};
    for (const HeadSources& sources : wiring.keys[at])
        options.key_heads.push_back(head_ref(sources, keys_, inputs));
    for (const HeadSources& sources : wiring.values[at])
        options.value_heads.push_back(head_ref(sources, values_, inputs));
    const ValueId heads =
        graph_.apply(options_.phase, std::make_shared<Attention>(std::move(options)), inputs,
                     {options_.prefix + a + "heads", options_.prefix + a + "lse"})[0];
    const ValueId out =
        model_.out_proj == Projection::kIdentity ? heads : linear(a + "o.weight", heads, a + "out");
    return dropout(out, a + "out");
}

ValueId ForwardBuilder::mlp(int layer, ValueId u) {
    const std::string m = fmt::format("h.{}.mlp.", layer);
    const ActivationKind kind = activation_of(model_.mlp);
    const ValueId up = linear(m + "up.weight", u, m + "up");
    ValueId hidden = kNoValue;
    if (model_.gated_mlp()) {
        const ValueId gate = linear(m + "gate.weight", u, m + "gate");
        hidden = apply1(std::make_shared<GatedActivation>(kind), {gate, up}, m + "hidden");
    } else {
        hidden = apply1(std::make_shared<Activation>(kind), {up}, m + "hidden");
    }
    return dropout(linear(m + "down.weight", hidden, m + "out"), m + "out");
}

ValueId ForwardBuilder::norm(NormKind kind, const std::string& weight, ValueId x,
                             const std::string& name) {
    const auto at = [&](const char* suffix) { return options_.prefix + name + suffix; };
    const ValueId gain = weights_.master(weight);
    switch (kind) {
        case NormKind::kNone:
            return x;
        case NormKind::kLayerNorm:
            return graph_.apply(options_.phase, std::make_shared<LayerNorm>(model_.norm_eps),
                                {x, gain}, {at(""), at(".mean"), at(".rstd")})[0];
        case NormKind::kRmsNorm:
            return graph_.apply(options_.phase, std::make_shared<RmsNorm>(model_.norm_eps),
                                {x, gain}, {at(""), at(".rstd")})[0];
        case NormKind::kDyT:
            break;
    }
    CHECK(false, "the config refuses this norm");
}

ValueId ForwardBuilder::linear(const std::string& weight, ValueId x, const std::string& name) {
    return apply1(std::make_shared<Linear>(), {x, weights_.matrix(weight)}, name);
}

ValueId ForwardBuilder::dropout(ValueId x, const std::string& name) {
    const uint64_t stream = next_stream_++;
    if (options_.dropout == 0.0) return x;
    return apply1(std::make_shared<Dropout>(options_.dropout, stream), {x}, name + ".dropped");
}

ValueId ForwardBuilder::apply1(OpPtr op, std::vector<ValueId> inputs, const std::string& name) {
    return graph_.apply1(options_.phase, std::move(op), std::move(inputs), options_.prefix + name);
}

}  // namespace headroom
