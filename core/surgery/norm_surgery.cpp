#include "core/surgery/norm_surgery.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/surgery/stream_tensors.h"

namespace headroom {
namespace {

/// A norm of the model and why its gain cannot go into what reads it; empty if it can.
struct Norm {
    std::string name;  ///< "h.0.ln_1"
    NormKind kind;
    int layer;  ///< -1: ln_f
    FailedAssumption why_not;
};

FailedAssumption why_not_first(const ModelConfig& model, int layer) {
    const LayerChoices c = model.layer(layer);
    const auto reads = [&](const char* key, std::string_view word) {
        const std::string choice = fmt::format("{} = {}", key, word);
        return FailedAssumption{choice,
                                fmt::format("{} of layer {} reads it as it is", choice, layer)};
    };
    if (c.query != QueryMap::kLinear) return reads("query", spelling(c.query));
    if (c.key != Projection::kLinear) return reads("key", spelling(c.key));
    if (c.value != ValueMap::kLinear) return reads("value", spelling(c.value));
    return {};
}

std::vector<Norm> norms_of(const ModelConfig& model, bool untie) {
    std::vector<Norm> norms;
    const int64_t layers = model.share_layers ? 1 : model.n_layer;
    for (int layer = 0; layer < layers; ++layer) {
        const NormKind kind = model.norm.at(layer);
        if (kind == NormKind::kNone) continue;
        norms.push_back(
            {fmt::format("h.{}.ln_1", layer), kind, layer, why_not_first(model, layer)});
        if (model.has_mlp_norm())
            norms.push_back({fmt::format("h.{}.ln_2", layer), kind, layer, {}});
    }
    const FailedAssumption tied{
        "tied", "the head is the embedding's transpose (tied weights), which has no such gain"};
    if (model.norm_f != NormKind::kNone)
        norms.push_back(
            {"ln_f", model.norm_f, -1, model.tie && !untie ? tied : FailedAssumption{}});
    return norms;
}

/// Of a parallel block with one norm, what its attention reads, too.
std::string norm_of_mlp(const ModelConfig& model, int layer) {
    return fmt::format("h.{}.{}", layer, model.has_mlp_norm() ? "ln_2" : "ln_1");
}

/// The norm that the tensor reads; "" if it reads none of `model`.
std::string norm_read_by(const ModelConfig& model, const ParameterSpec& spec) {
    const StreamUse use = stream_use(spec);
    if (use == StreamUse::kHead) return model.norm_f == NormKind::kNone ? "" : "ln_f";
    if (spec.layer < 0 || model.norm.at(spec.layer) == NormKind::kNone) return "";
    if (use == StreamUse::kAttentionReads) return fmt::format("h.{}.ln_1", spec.layer);
    return use == StreamUse::kMlpReads ? norm_of_mlp(model, spec.layer) : "";
}

/// lm_head of a tied model is the embedding's transpose.
Matrix read_reader(const WeightSource& source, const std::string& name) {
    if (source.has(name)) return read_matrix(source, name);
    return transposed(read_matrix(source, "wte.weight"));
}

Matrix scaled_rows(Matrix w, const std::vector<double>& gain) {
    for (int64_t i = 0; i < w.rows; ++i)
        for (int64_t j = 0; j < w.cols; ++j) w.at(i, j) *= gain[static_cast<size_t>(i)];
    return w;
}

/// What LayerNorm takes from every row of the stream, taken from what is written to it instead: the
/// matrices that read it keep their rank, and can be inverted.
Matrix centred_rows(Matrix w) {
    for (int64_t i = 0; i < w.rows; ++i) {
        double mean = 0;
        for (int64_t j = 0; j < w.cols; ++j) mean += w.at(i, j) / static_cast<double>(w.cols);
        for (int64_t j = 0; j < w.cols; ++j) w.at(i, j) -= mean;
    }
    return w;
}

bool writes_to_stream(const ParameterSpec& spec) {
    const StreamUse use = stream_use(spec);
    return use == StreamUse::kEmbedding || use == StreamUse::kAttentionWrites ||
           use == StreamUse::kMlpWrites;
}

void check_gain(const std::string& norm, double gain, double bias) {
    if (gain == 0 && bias != 0)
        throw UserError(fmt::format("{} has a gain of 0 beside a bias", norm),
                        "set that bias to 0 or the gain to another number");
}

std::vector<double> folded_bias(const WeightSource& source, const std::string& norm) {
    std::vector<double> bias = source.read<double>(norm + ".bias");
    const std::vector<double> gain = source.read<double>(norm + ".weight");
    for (size_t i = 0; i < bias.size(); ++i) {
        check_gain(norm, gain[i], bias[i]);
        if (gain[i] != 0) bias[i] /= gain[i];
    }
    return bias;
}

}  // namespace

SurgeryPlan plan_fold_norms(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "fold-norms", .request = request, .config = model};
    const std::vector<Norm> norms = norms_of(model, request.untie);
    for (const Norm& norm : norms)
        if (!norm.why_not.empty())
            plan.notes.push_back(fmt::format("{} stays: {}", norm.name, norm.why_not.why));
    const char* nothing = "there is nothing to fold";
    if (norms.empty())
        plan.refuse({"no norms", "there are no norms (norm = none)"}, nothing);
    else if (plan.notes.size() == norms.size())
        plan.refuse({norms.front().why_not.word, plan.notes.front()}, nothing);
    if (request.untie) plan.config.tie = false;
    return plan;
}

TensorFunction folded_norm_tensors(const SurgeryPlan& plan) {
    return [untie = plan.request.untie](
               const WeightSource& source,
               const ParameterSpec& spec) -> std::optional<std::vector<double>> {
        for (const Norm& norm : norms_of(source.config(), untie)) {
            if (!norm.why_not.empty()) continue;
            if (spec.name == norm.name + ".weight")
                return std::vector<double>(static_cast<size_t>(spec.count()), 1.0);
            if (spec.name == norm.name + ".bias") return folded_bias(source, norm.name);
            if (norm_read_by(source.config(), spec) == norm.name && spec.shape.size() == 2)
                return scaled_rows(read_reader(source, spec.name),
                                   source.read<double>(norm.name + ".weight"))
                    .values;
        }
        return std::nullopt;
    };
}

namespace {

/// Whether LayerNorm's mean can be taken from what is written to the stream: every reader takes it
/// away already, and no reader's tensor is a writer's, too. Else it goes out of the readers, which
/// are singular then.
bool centres_writers(const ModelConfig& before, const ModelConfig& after) {
    return before.norm.word() == NormKind::kLayerNorm && before.norm_f == NormKind::kLayerNorm &&
           !before.out_proj.has(Projection::kIdentity) && !after.tie;
}

bool has_bias(const ModelConfig& model, NormKind kind) {
    return kind == NormKind::kDyT || (kind == NormKind::kLayerNorm && model.bias);
}

bool is_frozen(const ModelConfig& after, const Norm& norm) {
    return (norm.layer < 0 ? after.norm_f : after.norm.at(norm.layer)) == NormKind::kNone;
}

/// Norms stay what they are, or go.
std::string changed_kind(const ModelConfig& before, const ModelConfig& after) {
    const auto changed = [](NormKind from, NormKind to) {
        return to != NormKind::kNone && to != from;
    };
    for (int layer = 0; layer < before.n_layer; ++layer)
        if (changed(before.norm.at(layer), after.norm.at(layer)))
            return fmt::format("norm of layer {} is {} and would become {}", layer,
                               spelling(before.norm.at(layer)), spelling(after.norm.at(layer)));
    if (changed(before.norm_f, after.norm_f))
        return fmt::format("norm_f is {} and would become {}", spelling(before.norm_f),
                           spelling(after.norm_f));
    return "";
}

FailedAssumption why_not_frozen(const ModelConfig& before, const ModelConfig& after,
                                const Norm& norm) {
    if (!norm.why_not.empty()) return norm.why_not;
    if (!has_bias(before, norm.kind)) return {};
    if (!before.bias)
        return {"DyT's bias", "DyT adds a bias (norm = dyt), and what reads it has none"};
    if (norm.layer >= 0) {
        if (before.mla && norm.name == fmt::format("h.{}.ln_1", norm.layer))
            return {"latents",
                    fmt::format("the latents of layer {} have no bias to take the norm's "
                                "(mla)",
                                norm.layer)};
        if (!before.has_router(norm.layer) || norm.name != norm_of_mlp(before, norm.layer))
            return {};
        return {"router", fmt::format("the router of layer {} has no bias to take the norm's "
                                      "(mlp_experts)",
                                      norm.layer)};
    }
    if (before.has_router(before.n_layer - 1) && before.mlp_capacity > 0)
        return {"capacity",
                "its bias goes into the last layer's experts, which add none to a token that "
                "finds no place (mlp_capacity)"};
    if (before.share_layers)
        return {"shared", "its bias goes into the last layer's, which shares it (share_layers)"};
    if (norm.kind == NormKind::kLayerNorm && !centres_writers(before, after))
        return {"no bias",
                "the head has no bias for its own (freeze ln_f before or with the other norms)"};
    return {};
}

/// The bias of ln_f has no place in the head; in the last MLP's bias, or that of each of its
/// experts, whose weights sum to 1, it passes the frozen norm.
std::vector<double> with_final_bias(const WeightSource& source, double scale,
                                    std::vector<double> down_bias) {
    const std::vector<double> bias = source.read<double>("ln_f.bias");
    const std::vector<double> gain = source.read<double>("ln_f.weight");
    for (size_t i = 0; i < bias.size(); ++i) {
        check_gain("ln_f", gain[i], bias[i]);
        if (gain[i] != 0) down_bias[i] += bias[i] / (scale * gain[i]);
    }
    return down_bias;
}

/// Of the tensors of a model whose norms freeze; `after` says which.
class FrozenTensors {
  public:
    FrozenTensors(ModelConfig after, std::map<std::string, double> scales)
        : after_(std::move(after)), scales_(std::move(scales)) {}

    std::optional<std::vector<double>> operator()(const WeightSource& source,
                                                  const ParameterSpec& spec) const {
        if (writes_to_stream(spec)) return writer(source, spec);
        const std::string name = norm_read_by(source.config(), spec);
        for (const Norm& norm : norms_of(source.config(), true))
            if (norm.name == name && is_frozen(after_, norm))
                return spec.shape.size() == 1 ? bias(source, spec, norm)
                                              : reader(source, spec, norm);
        return std::nullopt;
    }

  private:
    double scale(const std::string& norm) const {
        const auto found = scales_.find(norm);
        CHECK(found != scales_.end(), "every norm was measured");
        return found->second;
    }

    std::optional<std::vector<double>> writer(const WeightSource& source,
                                              const ParameterSpec& spec) const {
        const ModelConfig& before = source.config();
        const bool centre = centres_writers(before, after_);
        const bool last = spec.layer == before.n_layer - 1 && spec.shape.size() == 1 &&
                          stream_use(spec) == StreamUse::kMlpWrites &&
                          after_.norm_f == NormKind::kNone && source.has("ln_f.bias");
        if (!centre && !last) return std::nullopt;
        Matrix w = read_matrix(source, spec.name);
        if (centre) w = centred_rows(std::move(w));
        return last ? with_final_bias(source, scale("ln_f"), std::move(w.values))
                    : std::move(w.values);
    }

    static std::optional<std::vector<double>> bias(const WeightSource& source,
                                                   const ParameterSpec& spec, const Norm& norm) {
        if (!source.has(norm.name + ".bias")) return std::nullopt;
        const std::string matrix = spec.name.substr(0, spec.name.size() - 4) + "weight";
        Matrix moved =
            product(read_matrix(source, norm.name + ".bias"), read_matrix(source, matrix));
        const std::vector<double> own = source.read<double>(spec.name);
        for (size_t i = 0; i < own.size(); ++i) moved.values[i] += own[i];
        return std::move(moved.values);
    }

    std::vector<double> reader(const WeightSource& source, const ParameterSpec& spec,
                               const Norm& norm) const {
        std::vector<double> gain = source.read<double>(norm.name + ".weight");
        for (double& g : gain) g *= scale(norm.name);
        Matrix w = scaled_rows(read_reader(source, spec.name), gain);
        if (norm.kind == NormKind::kLayerNorm && !centres_writers(source.config(), after_))
            w = transposed(centred_rows(transposed(w)));
        return std::move(w.values);
    }

    ModelConfig after_;
    std::map<std::string, double> scales_;
};

}  // namespace

SurgeryPlan plan_freeze_norms(const ModelConfig& model, const SurgeryRequest& request) {
    if (!request.layer) return plan_freeze_norms(model, NormKind::kNone, NormKind::kNone, request);
    PerLayer<NormKind> kept = model.norm;
    if (model.share_layers)
        kept = NormKind::kNone;
    else
        kept.set(*request.layer, model.n_layer, NormKind::kNone);
    return plan_freeze_norms(model, kept, model.norm_f, request);
}

SurgeryPlan plan_freeze_norms(const ModelConfig& model, const PerLayer<NormKind>& norm,
                              NormKind norm_f, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "freeze-norms", .request = request, .config = model};
    plan.config.norm = norm;
    plan.config.norm_f = norm_f;
    if (request.untie) plan.config.tie = false;
    if (const std::string why = changed_kind(model, plan.config); !why.empty()) {
        plan.refuse({"other norm", why}, "leave the norms that stay as they are");
        return plan;
    }
    bool any = false;
    for (const Norm& one : norms_of(model, request.untie)) {
        if (!is_frozen(plan.config, one)) continue;
        any = true;
        FailedAssumption failed = why_not_frozen(model, plan.config, one);
        if (failed.empty()) continue;
        failed.why = fmt::format("{} cannot go: {}", one.name, failed.why);
        const bool tied = one.name == "ln_f" && !one.why_not.empty();
        plan.refuse(std::move(failed), tied ? "untie the head (--untie)" : "it has to stay");
        return plan;
    }
    if (any && model.hyper != HyperKind::kNone)
        plan.refuse({"hyper", fmt::format("hyper-connections (hyper = {}): what the norms read is "
                                          "mixed anew in front of each",
                                          spelling(model.hyper))},
                    "they have to stay");
    if (!any) {
        const bool some = model.norm != NormKind::kNone || model.norm_f != NormKind::kNone;
        plan.refuse(
            {"no norms", request.layer ? fmt::format("layer {} has no norms", *request.layer)
                         : some        ? "no norm would go"
                                       : "there are no norms (norm = none)"},
            "the exact surgeries apply");
    }
    return plan;
}

TensorFunction frozen_norm_tensors(const SurgeryPlan& plan) {
    return FrozenTensors(plan.config, plan.request.norm_scales);
}

}  // namespace headroom
