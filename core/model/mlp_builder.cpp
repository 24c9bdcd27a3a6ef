#include "core/model/mlp_builder.h"

#include <fmt/format.h>

#include "core/model/mlp_activation.h"
#include "core/ops/activation.h"
#include "core/ops/cast.h"
#include "core/ops/expert_linear.h"
#include "core/ops/expert_rows.h"
#include "core/ops/linear.h"
#include "core/ops/route.h"

namespace headroom {
namespace {

static_assert(kMostExperts <= kMostRouted, "operators take as many experts as a model may have");

std::string expert_stem(int64_t expert) {
    return fmt::format("experts.{}.", expert);
}

void add_matrices(ParameterList& list, const std::string& stem, bool gated) {
    const ModelConfig& m = list.model();
    const Shape up{m.d_model, m.d_ff}, down{m.d_ff, m.d_model};
    if (gated) list.add_projection(stem + "gate", up, ParameterRole::kMlp);
    list.add_projection(stem + "up", up, ParameterRole::kMlp);
    list.add_projection(stem + "down", down, ParameterRole::kMlp, list.residual_std());
}

}  // namespace

void MlpBuilder::add_parameters(ParameterList& list, int layer) {
    const ModelConfig& m = list.model();
    const std::string mlp = fmt::format("h.{}.mlp.", layer);
    const bool gated = is_gated(m.mlp.at(layer));
    if (!m.has_router(layer)) return add_matrices(list, mlp, gated);
    const int64_t experts = m.mlp_experts.at(layer);
    list.add(mlp + "router.weight", {m.d_model, experts}, ParameterRole::kRouter, list.init_std());
    for (int64_t expert = 0; expert < experts; ++expert) {
        list.set_expert(static_cast<int>(expert));
        add_matrices(list, mlp + expert_stem(expert), gated);
    }
    list.set_expert(-1);
}

ValueId MlpBuilder::build(int layer, ValueId u) {
    const ValueId y = emit_.model().has_router(layer) ? mixture(layer, u) : dense(layer, u);
    return emit_.dropout(y, emit_.layer_name(layer) + "mlp.out");
}

ValueId MlpBuilder::dense(int layer, ValueId u) {
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
    return emit_.linear(weights + "down", hidden, m + "out");
}

/// Route's outputs. The logits are float32 also in a model of bfloat16: close ones would be equal.
std::vector<ValueId> MlpBuilder::route(int layer, ValueId u) {
    const ModelConfig& model = emit_.model();
    const std::string name = emit_.layer_name(layer) + "mlp.router";
    const DType storage = emit_.type_of(u).dtype, exact = accumulator_of(storage);
    if (storage != exact) u = emit_.apply1(std::make_shared<Cast>(exact), {u}, name + ".in");
    const ValueId weight = emit_.weights().master(emit_.layer_weights(layer) + "mlp.router.weight");
    const ValueId logits = emit_.apply1(std::make_shared<Linear>(), {u, weight}, name);
    const double share =
        emit_.options().router_scale / static_cast<double>(model.router_layers().size());
    RouteOptions options;
    options.top_k = model.mlp_top_k.at(layer);
    options.capacity = emit_.options().caches == nullptr ? model.mlp_capacity : 0.0;
    options.balance = model.mlp_balance * share;
    options.z = model.mlp_z * share;
    std::vector<std::string> names;
    for (const char* output : {"weights", "chosen", "slots", "sources", "offsets", "stats"})
        names.push_back(name + "." + output);
    return emit_.apply(std::make_shared<Route>(options), {logits}, names);
}

ValueId MlpBuilder::expert_linear(int layer, const char* matrix, ValueId rows, ValueId offsets) {
    const std::string name = emit_.layer_name(layer) + "mlp.experts." + matrix;
    std::vector<ValueId> inputs{rows, offsets}, biases{kNoValue, offsets};
    for (int64_t expert = 0; expert < emit_.model().mlp_experts.at(layer); ++expert) {
        const std::string stem = emit_.layer_weights(layer) + "mlp." + expert_stem(expert) + matrix;
        inputs.push_back(emit_.weights().matrix(stem + ".weight"));
        biases.push_back(emit_.weights().master(stem + ".bias"));
    }
    const bool shifted = biases.back() != kNoValue;
    const ValueId y = emit_.apply1(std::make_shared<ExpertLinear>(), std::move(inputs),
                                   shifted ? name + ".product" : name);
    if (!shifted) return y;
    biases.front() = y;
    return emit_.apply1(std::make_shared<ExpertBias>(), std::move(biases), name);
}

ValueId MlpBuilder::mixture(int layer, ValueId u) {
    const std::string m = emit_.layer_name(layer) + "mlp.", experts = m + "experts.";
    const MlpKind mlp = emit_.model().mlp.at(layer);
    const ActivationKind kind = activation_of(mlp);
    const std::vector<ValueId> routes = route(layer, u);
    const ValueId weights = routes[0], slots = routes[2], sources = routes[3], offsets = routes[4];
    routers_.push_back({layer, routes[5]});
    const ValueId rows =
        emit_.apply1(std::make_shared<ExpertRows>(), {u, slots, sources}, experts + "in");
    const ValueId up = expert_linear(layer, "up", rows, offsets);
    ValueId hidden = kNoValue;
    if (is_gated(mlp)) {
        const ValueId gate = expert_linear(layer, "gate", rows, offsets);
        hidden =
            emit_.apply1(std::make_shared<GatedActivation>(kind), {gate, up}, experts + "hidden");
    } else {
        hidden = emit_.apply1(std::make_shared<Activation>(kind), {up}, experts + "hidden");
    }
    const ValueId out = expert_linear(layer, "down", hidden, offsets);
    return emit_.apply1(std::make_shared<ExpertSum>(), {out, weights, slots, sources}, m + "out");
}

}  // namespace headroom
