#include "core/absorb/checkpoint_absorption.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/absorb/nearest_absorbable.h"
#include "core/absorb/skip_system.h"
#include "core/base/error.h"
#include "core/linalg/svd.h"
#include "core/probe/mixing_probe.h"
#include "core/weights/transformed_weights.h"

namespace headroom {
namespace {

/// Serial blocks skip their MLP by skip_mlp; a parallel block has one skip for both branches.
PerLayer<bool>& mlp_skips(ModelConfig& model) {
    return model.topology == Topology::kParallel ? model.skip_attn : model.skip_mlp;
}

bool has_mlp_skip(ModelConfig model, int64_t layer) {
    return mlp_skips(model).at(layer);
}

void answer_norm(LayerAbsorption& layer) {
    layer.answer.decision = Decision::kImpossible;
    layer.answer.set.clear();
    layer.answer.theorem = "our remark: what follows a norm is bounded, a skip around it is not";
    layer.answer.reason = fmt::format(
        "a norm stands between the block's input and its MLP, so the skip is not the MLP's own; "
        "the MLP alone: {}",
        name_of(layer.mlp_alone));
}

/// Before the names of the MLP's tensors.
std::string mlp_stem(const ModelConfig& model, int64_t layer) {
    return fmt::format("h.{}.mlp.", model.share_layers ? 0 : layer);
}

/// The part of layer `layer` of an array whose first axis counts layers.
std::span<const double> part(const NumberArray& all, int64_t layer) {
    const int64_t size = std::ssize(all.values) / all.shape.front();
    return std::span(all.values)
        .subspan(static_cast<size_t>(layer * size), static_cast<size_t>(size));
}

/// Hyper-connections without a norm: S <- R S + b MLP(a^T S). Absorbable only if R is a multiple
/// of b a^T; then that multiple is the skip.
LayerAbsorption decide_streams(const WeightSource& weights, int64_t layer, Mlp mlp,
                               const AbsorptionOptions& options) {
    const NumberArrays mixing = mixing_weights(weights);
    const bool parallel = weights.config().topology == Topology::kParallel;
    const std::string branch = parallel ? "hc_attn/" : "hc_mlp/";
    const auto a = part(mixing.at(branch + "a"), layer), b = part(mixing.at(branch + "b"), layer),
               r = part(mixing.at(branch + "r"), layer);
    const auto n = std::ssize(a);
    double across = 0, along = 0, whole = 0;  // R · b a^T, ‖b a^T‖², ‖R‖²
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const double outer = b[static_cast<size_t>(i)] * a[static_cast<size_t>(j)];
            const double mixed = r[static_cast<size_t>(i * n + j)];
            across += mixed * outer;
            along += outer * outer;
            whole += mixed * mixed;
        }
    const bool one_direction = along > 0 && across * across >= (1 - 1e-12) * along * whole;
    LayerAbsorption result{layer, decide_absorption(mlp, options)};
    result.mlp_alone = result.answer.decision;
    if (result.answer.decision == Decision::kImpossible) return result;
    if (one_direction) {
        for (int64_t i = 0; i < mlp.d_model(); ++i) mlp.skip.at(i, i) = across / along;
        result.answer = decide_absorption(mlp, options);
        return result;
    }
    const Matrix mix(n, n, {r.begin(), r.end()});
    const std::vector<double> s = singular_values(mix);
    result.answer.decision = Decision::kNo;
    result.answer.set.clear();
    result.answer.theorem = "our remark to Mijoski & Karbevski 2026, Lemma 4";
    result.answer.reason = fmt::format(
        "the skip mixes {} streams (R has the condition number {:.4g}), of which the MLP reads and "
        "writes one combination",
        n, s.back() > 0 ? s.front() / s.back() : std::numeric_limits<double>::infinity());
    return result;
}

/// The numbers of `spec` where it is one of the MLP's that may change; none otherwise.
std::optional<std::vector<double>> tensor_of(const Mlp& mlp, const ParameterSpec& spec) {
    if (spec.name.ends_with("mlp.up.weight")) return mlp.up.values;
    if (spec.name.ends_with("mlp.up.bias")) return mlp.up_bias;
    if (spec.name.ends_with("mlp.down.weight")) return mlp.down.values;
    if (spec.name.ends_with("mlp.down.bias")) return mlp.down_bias;
    return std::nullopt;
}

/// Remakes the MLPs of `layers`, one in memory at a time: its tensors are asked for one after the
/// other.
class RemadeMlps {
  public:
    RemadeMlps(std::vector<int64_t> layers, std::function<Mlp(const Mlp&)> remake)
        : layers_(std::move(layers)), remake_(std::move(remake)) {}

    std::optional<std::vector<double>> operator()(const WeightSource& source,
                                                  const ParameterSpec& spec) {
        const bool wanted = std::count(layers_.begin(), layers_.end(), spec.layer) > 0;
        if (!wanted || spec.name.find(".mlp.") == std::string::npos) return std::nullopt;
        if (spec.layer != layer_) {
            mlp_ = remake_(layer_mlp(source, spec.layer));
            layer_ = spec.layer;
        }
        return tensor_of(mlp_, spec);
    }

  private:
    std::vector<int64_t> layers_;
    std::function<Mlp(const Mlp&)> remake_;
    int64_t layer_ = -1;  ///< of `mlp_`
    Mlp mlp_;
};

void require_mlp_skip(const ModelConfig& model, int64_t layer) {
    if (layer < 0 || layer >= model.n_layer)
        throw UserError(fmt::format("there is no layer {}", layer),
                        fmt::format("layers count from 0 to {}", model.n_layer - 1));
    if (model.has_router(layer))
        throw UserError(fmt::format("layer {} has {} experts in place of one MLP", layer,
                                    model.mlp_experts.at(layer)),
                        "what is known here of skips is about one MLP: name another layer");
    if (!has_mlp_skip(model, layer))
        throw UserError(fmt::format("layer {} has no skip around its MLP", layer),
                        "there is nothing to absorb: name another layer");
}

/// UserError unless the MLP itself stands between the ends of its skip.
void require_bare_mlp(const WeightSource& weights, const std::vector<int64_t>& layers) {
    const ModelConfig& model = weights.config();
    for (const int64_t layer : layers)
        if (model.norm.at(layer) != NormKind::kNone)
            throw UserError(
                fmt::format("{}: model.norm: a norm before the MLP is bounded and the skip "
                            "around it is not, so no MLP can take it in",
                            weights.title()),
                "take a model with model.norm = none");
    if (model.hyper != HyperKind::kNone)
        throw UserError(fmt::format("{}: model.hyper: the MLP reads one combination of the streams",
                                    weights.title()),
                        "take a model without hyper-connections");
}

/// Layers that share the first one's weights are remade with it.
std::vector<int64_t> owners(const ModelConfig& model, const std::vector<int64_t>& layers) {
    return model.share_layers ? std::vector<int64_t>{0} : layers;
}

}  // namespace

Mlp layer_mlp(const WeightSource& weights, int64_t layer) {
    const ModelConfig& model = weights.config();
    const std::string stem = mlp_stem(model, layer);
    const auto read = [&](const char* name) { return weights.read<double>(stem + name); };
    const int64_t d = model.d_model, f = model.d_ff;
    Mlp mlp;
    mlp.kind = model.mlp.at(layer);
    mlp.up = Matrix(d, f, read("up.weight"));
    mlp.down = Matrix(f, d, read("down.weight"));
    if (mlp.gated()) mlp.gate = Matrix(d, f, read("gate.weight"));
    if (model.bias) {
        mlp.up_bias = read("up.bias");
        mlp.down_bias = read("down.bias");
        if (mlp.gated()) mlp.gate_bias = read("gate.bias");
    }
    mlp.skip = identity_matrix(d);
    mlp.stored = weights.type(stem + "up.weight");
    return mlp;
}

std::vector<int64_t> layers_with_mlp_skip(const ModelConfig& model) {
    std::vector<int64_t> layers;
    for (int64_t layer = 0; layer < model.n_layer; ++layer)
        if (has_mlp_skip(model, layer) && !model.has_router(layer)) layers.push_back(layer);
    return layers;
}

LayerAbsorption decide_layer(const WeightSource& weights, int64_t layer,
                             const AbsorptionOptions& options) {
    const ModelConfig& model = weights.config();
    require_mlp_skip(model, layer);
    Mlp mlp = layer_mlp(weights, layer);
    const bool has_norm = model.norm.at(layer) != NormKind::kNone;
    if (!has_norm && model.hyper != HyperKind::kNone)
        return decide_streams(weights, layer, std::move(mlp), options);
    LayerAbsorption result{layer, decide_absorption(mlp, options)};
    result.mlp_alone = result.answer.decision;
    if (has_norm) answer_norm(result);
    return result;
}

std::shared_ptr<const WeightSource> without_mlp_skips(std::shared_ptr<const WeightSource> source,
                                                      const std::vector<int64_t>& layers,
                                                      const AbsorptionOptions& options) {
    for (const int64_t layer : layers) require_mlp_skip(source->config(), layer);
    require_bare_mlp(*source, layers);
    Transformation transformation{"absorbed", "skip_mlp", source->config(), {}};
    ModelConfig& model = transformation.config;
    for (const int64_t layer : layers) {
        const Absorption answer = decide_layer(*source, layer, options).answer;
        if (answer.decision != Decision::kYes)
            throw UserError(
                fmt::format("{}: the MLP of layer {} does not absorb its skip ({}): {}",
                            source->title(), layer, name_of(answer.decision), answer.reason),
                "name a layer that does, or make one with `headroom absorb make`");
        mlp_skips(model).set(layer, model.n_layer, false);
    }
    if (model.share_layers) mlp_skips(model) = false;
    transformation.tensor = RemadeMlps(owners(model, layers), [options](const Mlp& mlp) {
        return absorbed(mlp, decide_absorption(mlp, options));
    });
    return std::make_shared<const TransformedWeights>(std::move(source), std::move(transformation));
}

std::shared_ptr<const WeightSource> with_absorbable_mlps(std::shared_ptr<const WeightSource> source,
                                                         const std::vector<int64_t>& layers,
                                                         const std::vector<int64_t>& set) {
    for (const int64_t layer : layers) require_mlp_skip(source->config(), layer);
    require_bare_mlp(*source, layers);
    Transformation transformation{"made_absorbable", "skip_mlp", source->config(), {}};
    transformation.tensor = RemadeMlps(owners(source->config(), layers), [set](const Mlp& mlp) {
        return set.empty() ? nearest_absorbable(mlp).mlp : nearest_absorbable(mlp, set).mlp;
    });
    return std::make_shared<const TransformedWeights>(std::move(source), std::move(transformation));
}

Witness stack_witness(const std::vector<Mlp>& mlps) {
    const int64_t d = mlps.front().d_model();
    Witness witness;
    witness.limit = 1;
    for (double lambda = 1; lambda > 1e-7; lambda /= 10) {
        Matrix with(1, d,
                    std::vector<double>(static_cast<size_t>(d),
                                        lambda / std::sqrt(static_cast<double>(d))));
        Matrix without = with;
        for (const Mlp& mlp : mlps) {
            with = mlp_forward(mlp, with);
            Mlp bare = mlp;
            bare.skip = {};
            without = mlp_forward(bare, without);
        }
        witness.lambda.push_back(lambda);
        witness.with_skip.push_back(frobenius(with) / lambda);
        witness.without_skip.push_back(frobenius(without) / lambda);
    }
    return witness;
}

}  // namespace headroom
