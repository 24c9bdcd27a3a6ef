#include "core/surgery/norm_surgery.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/probe/probe_pass.h"

namespace headroom {
namespace {

/// A norm and why its gain cannot go into what reads it; "" if it can.
struct FoldedNorm {
    std::string name;  ///< "h.0.ln_1"
    std::string why_not;
};

std::string why_not_first(const ModelConfig& model, int layer) {
    const LayerChoices c = model.layer(layer);
    const auto reads = [&](const char* key, std::string_view word) {
        return fmt::format("{} = {} of layer {} reads it as it is", key, word, layer);
    };
    if (c.query != QueryMap::kLinear) return reads("query", spelling(c.query));
    if (c.key != Projection::kLinear) return reads("key", spelling(c.key));
    if (c.value != ValueMap::kLinear) return reads("value", spelling(c.value));
    return "";
}

std::vector<FoldedNorm> norms_of(const ModelConfig& model, bool untie) {
    std::vector<FoldedNorm> norms;
    const int64_t layers = model.share_layers ? 1 : model.n_layer;
    for (int layer = 0; layer < layers && model.norm != NormKind::kNone; ++layer) {
        norms.push_back({fmt::format("h.{}.ln_1", layer), why_not_first(model, layer)});
        if (model.topology == Topology::kSerial)
            norms.push_back({fmt::format("h.{}.ln_2", layer), ""});
    }
    if (model.norm_f != NormKind::kNone)
        norms.push_back({"ln_f", model.tie && !untie ? "the head is the embedding's transpose "
                                                       "(tied weights), which has no such gain"
                                                     : ""});
    return norms;
}

/// The norm that the tensor reads; "" if it reads none of `model`.
std::string norm_read_by(const ModelConfig& model, const ParameterSpec& spec) {
    if (spec.name == "lm_head.weight") return model.norm_f == NormKind::kNone ? "" : "ln_f";
    if (spec.layer < 0 || model.norm == NormKind::kNone) return "";
    const std::string h = fmt::format("h.{}.", spec.layer);
    const std::string part = spec.name.substr(h.size(), spec.name.rfind('.') - h.size());
    for (const char* reader : {"attn.q", "attn.k", "attn.v", "attn.kv_down", "attn.k_rope"})
        if (part == reader) return h + "ln_1";
    if (part == "mlp.up" || part == "mlp.gate")
        return h + (model.topology == Topology::kParallel ? "ln_1" : "ln_2");
    return "";
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
    for (const char* part : {"wte.weight", "wpe.weight", ".attn.o.weight", ".attn.o.bias",
                             ".mlp.down.weight", ".mlp.down.bias"})
        if (spec.name.ends_with(part)) return true;
    return false;
}

std::vector<double> folded_bias(const WeightSource& source, const std::string& norm) {
    std::vector<double> bias = source.read<double>(norm + ".bias");
    const std::vector<double> gain = source.read<double>(norm + ".weight");
    for (size_t i = 0; i < bias.size(); ++i) {
        if (gain[i] == 0 && bias[i] != 0)
            throw UserError(fmt::format("{} has a gain of 0 beside a bias", norm),
                            "set that bias to 0 or the gain to another number");
        if (gain[i] != 0) bias[i] /= gain[i];
    }
    return bias;
}

}  // namespace

SurgeryPlan plan_fold_norms(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "fold-norms", .request = request, .config = model};
    const std::vector<FoldedNorm> norms = norms_of(model, request.untie);
    for (const FoldedNorm& norm : norms)
        if (!norm.why_not.empty())
            plan.notes.push_back(fmt::format("{} stays: {}", norm.name, norm.why_not));
    if (norms.empty()) plan.refusal = "there are no norms (norm = none)";
    if (!norms.empty() && plan.notes.size() == norms.size()) plan.refusal = plan.notes.front();
    if (!plan.applies()) plan.remedy = "there is nothing to fold";
    if (request.untie) plan.config.tie = false;
    return plan;
}

TensorFunction folded_norm_tensors(const SurgeryPlan& plan) {
    return [untie = plan.request.untie](
               const WeightSource& source,
               const ParameterSpec& spec) -> std::optional<std::vector<double>> {
        for (const FoldedNorm& norm : norms_of(source.config(), untie)) {
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

std::string why_no_freeze(const ModelConfig& model) {
    const auto has_bias = [&](NormKind kind) {
        return kind == NormKind::kDyT || (kind == NormKind::kLayerNorm && model.bias);
    };
    if (model.hyper != HyperKind::kNone)
        return fmt::format(
            "hyper-connections (hyper = {}): what the norms read is mixed anew in "
            "front of each",
            spelling(model.hyper));
    const bool first = model.norm == NormKind::kLayerNorm,
               last = model.norm_f == NormKind::kLayerNorm;
    if (first != last)
        return fmt::format(
            "norm = {} and norm_f = {}: LayerNorm's means can be left out of the "
            "stream only where every norm takes them away",
            spelling(model.norm), spelling(model.norm_f));
    if (first && model.out_proj.has(Projection::kIdentity))
        return "out_proj = identity: no matrix there takes LayerNorm's means away";
    if (!model.bias && (has_bias(model.norm) || has_bias(model.norm_f)))
        return "DyT adds a bias (norm = dyt), and the matrices that read it have none";
    if (model.share_layers && has_bias(model.norm_f))
        return "the bias of ln_f goes into the last layer's, which shares it (share_layers)";
    return "";
}

/// The bias of ln_f has no place in the head; in the last MLP's bias it passes the frozen norm.
std::vector<double> with_final_bias(const WeightSource& source, double scale,
                                    std::vector<double> down_bias) {
    const std::vector<double> bias = source.read<double>("ln_f.bias");
    const std::vector<double> gain = source.read<double>("ln_f.weight");
    for (size_t i = 0; i < bias.size(); ++i)
        if (gain[i] != 0) down_bias[i] += bias[i] / (scale * gain[i]);
    return down_bias;
}

}  // namespace

namespace {

std::optional<std::vector<double>> frozen_writer(const WeightSource& source,
                                                 const ParameterSpec& spec,
                                                 const std::map<std::string, double>& scales) {
    const ModelConfig& model = source.config();
    const bool centre = model.norm == NormKind::kLayerNorm;
    const bool last = spec.name == fmt::format("h.{}.mlp.down.bias", model.n_layer - 1) &&
                      source.has("ln_f.bias");
    if (!centre && !last) return std::nullopt;
    Matrix w = read_matrix(source, spec.name);
    if (centre) w = centred_rows(std::move(w));
    return last ? with_final_bias(source, scales.at("ln_f"), std::move(w.values))
                : std::move(w.values);
}

}  // namespace

SurgeryPlan plan_freeze_norms(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "freeze-norms", .request = request, .config = model};
    const std::vector<FoldedNorm> norms = norms_of(model, request.untie);
    if (norms.empty()) {
        plan.refusal = "there are no norms (norm = none)";
        plan.remedy = "the exact surgeries apply";
        return plan;
    }
    for (const FoldedNorm& norm : norms)
        if (!norm.why_not.empty()) {
            plan.refusal = fmt::format("{} cannot go: {}", norm.name, norm.why_not);
            plan.remedy = norm.name == "ln_f" ? "untie it with --untie" : "it has to stay";
            return plan;
        }
    if (std::string why = why_no_freeze(model); !why.empty()) {
        plan.refusal = std::move(why);
        plan.remedy = "they have to stay";
    }
    plan.config.norm = plan.config.norm_f = NormKind::kNone;
    if (request.untie) plan.config.tie = false;
    return plan;
}

TensorFunction frozen_norm_tensors(const SurgeryPlan& plan) {
    return [scales = plan.request.norm_scales](
               const WeightSource& source,
               const ParameterSpec& spec) -> std::optional<std::vector<double>> {
        const ModelConfig& model = source.config();
        if (writes_to_stream(spec)) return frozen_writer(source, spec, scales);
        const std::string norm = norm_read_by(model, spec);
        if (norm.empty()) return std::nullopt;
        if (spec.shape.size() == 1) {
            if (!source.has(norm + ".bias")) return std::nullopt;
            const std::string matrix = spec.name.substr(0, spec.name.size() - 4) + "weight";
            Matrix moved =
                product(read_matrix(source, norm + ".bias"), read_matrix(source, matrix));
            const std::vector<double> own = source.read<double>(spec.name);
            for (size_t i = 0; i < own.size(); ++i) moved.values[i] += own[i];
            return std::move(moved.values);
        }
        const auto scale = scales.find(norm);
        CHECK(scale != scales.end(), "every norm was measured");
        std::vector<double> gain = source.read<double>(norm + ".weight");
        for (double& g : gain) g *= scale->second;
        return scaled_rows(read_reader(source, spec.name), gain).values;
    };
}

namespace {

/// The slope of norm(x) / g along x, or along x minus its mean.
double slope_at(std::span<const double> x, NormKind kind, double eps, double alpha) {
    const auto n = static_cast<double>(x.size());
    const double mean =
        kind == NormKind::kLayerNorm ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0;
    double square = 0, along = 0;
    for (const double value : x) {
        square += (value - mean) * (value - mean);
        if (kind == NormKind::kDyT) along += value * std::tanh(alpha * value);
    }
    if (kind == NormKind::kDyT) return square > 0 ? along / square : alpha;
    return 1 / std::sqrt(square / n + eps);
}

}  // namespace

std::map<std::string, double> measure_norm_scales(const WeightSource& source,
                                                  std::span<const int32_t> tokens, int64_t seq_len,
                                                  Device& device) {
    const ModelConfig& model = source.config();
    ProbeTaps taps{.streams = true};
    const bool middles = model.norm != NormKind::kNone && model.topology == Topology::kSerial;
    const auto middle = [&](int layer) {
        const LayerChoices choices = model.layer(layer);
        const bool output = choices.out_proj == Projection::kLinear;
        return fmt::format("h.{}.{}", layer,
                           choices.skip_attn ? "mid"
                           : output          ? "attn.out"
                                             : "attn.heads");
    };
    for (int layer = 0; layer < model.n_layer && middles; ++layer) taps.names.insert(middle(layer));
    ProbePass pass(model, {1, seq_len, DType::kF32}, taps, device);
    pass.load(source);
    std::map<std::string, double> sums;
    std::map<std::string, int64_t> counts;
    const auto add = [&](const std::string& norm, NormKind kind, const TokenMatrix& rows) {
        const double alpha =
            kind == NormKind::kDyT ? source.read<double>(norm + ".alpha").front() : 0;
        for (int64_t i = 0; i < rows.rows; ++i)
            sums[norm] += slope_at(rows.row(i), kind, model.norm_eps, alpha);
        counts[norm] += rows.rows;
    };
    for (size_t first = 0; first < tokens.size(); first += static_cast<size_t>(seq_len)) {
        pass.run(tokens.subspan(first, static_cast<size_t>(seq_len)));
        for (int layer = 0; layer < model.n_layer && model.norm != NormKind::kNone; ++layer) {
            const std::string h = fmt::format("h.{}.", model.share_layers ? 0 : layer);
            add(h + "ln_1", model.norm, pass.stream(layer - 1, 0));
            if (middles) add(h + "ln_2", model.norm, pass.read(middle(layer), 0));
        }
        if (model.norm_f != NormKind::kNone)
            add("ln_f", model.norm_f, pass.stream(static_cast<int>(model.n_layer) - 1, 0));
    }
    for (auto& [norm, sum] : sums) sum /= static_cast<double>(counts[norm]);
    return sums;
}

}  // namespace headroom
