#include "core/surgery/rebased_tensors.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/surgery/stream_tensors.h"
#include "core/surgery/surgery.h"

namespace headroom {
namespace {

constexpr size_t kBasesKept = 3;

Matrix sum(Matrix a, const Matrix& b) {
    for (size_t i = 0; i < b.values.size(); ++i) a.values[i] += b.values[i];
    return a;
}

}  // namespace

const StreamBasis* RebasedTensors::basis(const WeightSource& source, int place) {
    const auto& choice = plan_->choice(place);
    if (!choice) return nullptr;
    const std::string key = tensor_of(choice->from) + (choice->from_other_end ? " tied" : "");
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept)
        if (kept->first == key) {
            kept_.splice(kept_.begin(), kept_, kept);
            return &kept_.front().second;
        }
    const bool output = choice->from.matrix == AttentionMatrix::kOutput;
    const StreamBasis::Form form{output != choice->from_other_end, choice->from_other_end};
    if (kept_.size() == kBasesKept) kept_.pop_back();
    kept_.emplace_front(key, StreamBasis(form, read_matrix(source, choice->from)));
    return &kept_.front().second;
}

Matrix RebasedTensors::stream(const WeightSource& source, int place, const Matrix& rows) {
    const StreamBasis* theta = basis(source, place);
    return theta == nullptr ? rows : theta->as_writer(rows);
}

std::optional<std::vector<double>> RebasedTensors::reader(const WeightSource& source, int place,
                                                          const std::string& name) {
    const StreamBasis* theta = basis(source, place);
    if (theta == nullptr) return std::nullopt;
    return theta->as_reader(read_matrix(source, name)).values;
}

std::optional<std::vector<double>> RebasedTensors::writer(const WeightSource& source, int place,
                                                          const std::string& name) {
    const StreamBasis* theta = basis(source, place);
    if (theta == nullptr) return std::nullopt;
    return theta->as_writer(read_matrix(source, name)).values;
}

/// Of a residual query I + W_Q.
std::optional<std::vector<double>> RebasedTensors::query(const WeightSource& source, int layer) {
    const StreamBasis* theta = basis(source, plan_->places().input(layer));
    if (theta == nullptr) return std::nullopt;
    return theta->as_reader(read_matrix(source, LayerMatrix{layer})).values;
}

/// Of a tied source the embedding's transpose.
std::optional<std::vector<double>> RebasedTensors::head(const WeightSource& source) {
    if (source.has("lm_head.weight"))
        return reader(source, plan_->places().end(), "lm_head.weight");
    const StreamBasis* theta = basis(source, plan_->places().end());
    Matrix own = transposed(read_matrix(source, "wte.weight"));
    return theta == nullptr ? std::move(own.values) : theta->as_reader(std::move(own)).values;
}

std::optional<std::vector<double>> RebasedTensors::operator()(const WeightSource& source,
                                                              const ParameterSpec& spec) {
    const StreamPlaces& places = plan_->places();
    const int layer = spec.layer;
    if (layer >= 0 && spec.name.ends_with(".bias")) return bias(source, spec);
    switch (stream_use(spec)) {
        case StreamUse::kNone:
            return std::nullopt;
        case StreamUse::kEmbedding:
            return writer(source, places.input(0), spec.name);
        case StreamUse::kAttentionReads:
            return spec.role == ParameterRole::kQuery
                       ? query(source, layer)
                       : reader(source, places.input(layer), spec.name);
        case StreamUse::kAttentionWrites:
            return writer(source, places.attention_output(layer), spec.name);
        case StreamUse::kMlpReads:
            return reader(source, places.middle(layer), spec.name);
        case StreamUse::kMlpWrites:
            return writer(source, places.input(layer + 1), spec.name);
        case StreamUse::kHead:
            return head(source);
    }
    CHECK(false, "unknown use of the stream");
}

/// A bias that is added to the stream changes its basis with it. What b_V and b_O add goes where
/// W_O's bias was, or, where there is no W_O any more, into what reads and carries on the stream:
/// the MLP's first biases, and its last for the skip around it. Of a mixture every expert's last
/// takes it, as their weights sum to 1; SurgeryNumbers refuses where they do not.
std::optional<std::vector<double>> RebasedTensors::bias(const WeightSource& source,
                                                        const ParameterSpec& spec) {
    const StreamPlaces& places = plan_->places();
    const ModelConfig& after = plan_->config();
    const StreamUse use = stream_use(spec);
    const bool output = use == StreamUse::kAttentionWrites, first = use == StreamUse::kMlpReads;
    if (!output && !first && use != StreamUse::kMlpWrites) return std::nullopt;
    const Matrix moved = moved_bias(source, *plan_, spec.layer);
    Matrix own = read_matrix(source, spec.name);
    const bool from_output = after.out_proj.at(spec.layer) == Projection::kIdentity;
    const bool parallel = after.topology == Topology::kParallel;
    if (first) {
        if (moved.empty() || !from_output || parallel) return std::nullopt;
        const std::string matrix = spec.name.substr(0, spec.name.size() - 4) + "weight";
        return sum(own, product(moved, read_matrix(source, matrix))).values;
    }
    const bool carries = output || (from_output && (parallel || after.skip_mlp.at(spec.layer)));
    if (carries && !moved.empty()) own = output ? moved : sum(own, moved);
    const int place = output ? places.attention_output(spec.layer) : places.input(spec.layer + 1);
    const StreamBasis* theta = basis(source, place);
    if (theta == nullptr && (moved.empty() || !carries)) return std::nullopt;
    return theta == nullptr ? own.values : theta->as_writer(std::move(own)).values;
}

Matrix moved_bias(const WeightSource& source, const BasisPlan& plan, int layer) {
    const bool value = plan.removes({layer, AttentionMatrix::kValue});
    const bool output = plan.removes({layer, AttentionMatrix::kOutput});
    if (!source.config().bias || (!value && !output)) return {};
    Matrix moved(1, source.config().d_model);
    const std::string attn = fmt::format("h.{}.attn.", layer);
    if (source.has(attn + "o.bias")) moved = read_matrix(source, attn + "o.bias");
    if (!value) return moved;
    Matrix of_values = read_matrix(source, attn + "v.bias");
    if (source.has(attn + "o.weight"))
        of_values = product(of_values, read_matrix(source, attn + "o.weight"));
    return sum(std::move(moved), of_values);
}

}  // namespace headroom
