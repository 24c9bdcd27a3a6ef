#include "core/surgery/surgery_numbers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/linalg/condition.h"
#include "core/surgery/rebased_tensors.h"

namespace headroom {
namespace {

bool read_by_others(const Wiring& wiring, int layer) {
    for (int reader = 0; reader < wiring.n_layer; ++reader)
        for (const HeadSources& sources : wiring.values[static_cast<size_t>(reader)])
            for (const HeadSource& source : sources)
                if (source.layer == layer && reader != layer) return true;
    return false;
}

/// Whether what its values' bias adds is that of every head once, whatever the softmax.
bool reads_own_values(const Wiring& wiring, int layer) {
    const auto& heads = wiring.values[static_cast<size_t>(layer)];
    for (size_t head = 0; head < heads.size(); ++head)
        if (heads[head] != HeadSources{{layer, static_cast<int>(head)}}) return false;
    return true;
}

bool all_zero(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
}

/// Whether a map of the layer is the identity after the surgery and was a matrix before.
bool loses(const ModelConfig& before, const ModelConfig& after, int layer, AttentionMatrix matrix) {
    return has_matrix(before, {layer, matrix}) && !has_matrix(after, {layer, matrix});
}

/// Why the biases of an MLP cannot take what those of the attention add. "" where they can.
std::string why_not_in_mlp(const ModelConfig& model, int layer) {
    if (model.hyper != HyperKind::kNone) return "hyper-connections weigh what the attention adds";
    if (!model.has_router(layer)) return "";
    if (model.topology == Topology::kSerial)
        return "the router (mlp_experts), which would read the stream without it, has no bias";
    if (model.mlp_capacity > 0)
        return "experts whose places are taken (mlp_capacity) add no bias to a token";
    return "";
}

}  // namespace

double SurgeryNumbers::condition(const LayerMatrix& which) {
    const std::string name = tensor_of(which);
    const auto known = conditions_.find(name);
    if (known != conditions_.end()) return known->second;
    return conditions_[name] = condition_number(read_matrix(source_, which));
}

std::vector<InvertedMatrix> SurgeryNumbers::inverted(const SurgeryPlan& plan) {
    std::vector<InvertedMatrix> result;
    for (const LayerMatrix& which : plan.inverted)
        result.push_back({tensor_of(which), condition(which)});
    return result;
}

bool SurgeryNumbers::is_zero(const std::string& bias) const {
    return !source_.has(bias) || all_zero(source_.read<double>(bias));
}

/// Biases of removed matrices: that of keys adds the same to all scores of a row, those of values
/// and output move on (moved_bias), where every head reads its own; the others must be 0.
std::string SurgeryNumbers::homeless_bias(const SurgeryPlan& plan, int layer) const {
    const ModelConfig& before = source_.config();
    const std::string attn = fmt::format("h.{}.attn.", layer);
    const auto lost = [&](AttentionMatrix m) { return loses(before, plan.config, layer, m); };
    const auto refuse = [&](const char* letter, const char* why) {
        return fmt::format("biases: {}{}.bias is not 0, and {}", attn, letter, why);
    };
    if (lost(AttentionMatrix::kQuery) && !is_zero(attn + "q.bias"))
        return refuse("q", "a query that is the stream itself has none");
    const bool between = before.pos == Positions::kRope || before.qk_norm;
    if (lost(AttentionMatrix::kKey) && between && !is_zero(attn + "k.bias"))
        return refuse("k", "only without rotation and QK-norm does it drop out of the softmax");
    if (lost(AttentionMatrix::kValue) && read_by_others(before.wiring, layer) &&
        !is_zero(attn + "v.bias"))
        return refuse("v", "other layers read these values");
    if (lost(AttentionMatrix::kValue) && !reads_own_values(before.wiring, layer) &&
        !is_zero(attn + "v.bias"))
        return refuse("v", "not every head reads its own values alone, with weight 1");
    const bool no_output = plan.config.out_proj.at(layer) == Projection::kIdentity;
    const bool moves = lost(AttentionMatrix::kOutput) || lost(AttentionMatrix::kValue);
    if (!plan.bases || !no_output || !moves) return "";
    const std::string why = why_not_in_mlp(before, layer);
    if (why.empty() || all_zero(moved_bias(source_, *plan.bases, layer).values)) return "";
    return refuse(is_zero(attn + "o.bias") ? "v" : "o", why.c_str());
}

std::string SurgeryNumbers::refusal(const SurgeryPlan& plan) {
    const int64_t layers = source_.config().share_layers ? 1 : source_.config().n_layer;
    for (int layer = 0; source_.config().bias && layer < layers; ++layer)
        if (std::string why = homeless_bias(plan, layer); !why.empty()) return why;
    for (const LayerMatrix& which : plan.inverted)
        if (const double c = condition(which); !(c <= kLargestCondition))
            return fmt::format("{} is singular: its condition number is {:.2g}", shown(which), c);
    return "";
}

}  // namespace headroom
