#include "core/surgery/rebased_tensors.h"

#include <fmt/format.h>

#include "core/surgery/surgery.h"

namespace headroom {
namespace {

constexpr size_t kBasesKept = 3;

Matrix sum(Matrix a, const Matrix& b) {
    for (size_t i = 0; i < b.values.size(); ++i) a.values[i] += b.values[i];
    return a;
}

/// "attn.q.weight" of "h.3.attn.q.weight".
std::string part_of(const ParameterSpec& spec) {
    return spec.name.substr(fmt::format("h.{}.", spec.layer).size());
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
    if (spec.name == "lm_head.weight") return head(source);
    if (spec.layer < 0)
        return spec.name == "wte.weight" || spec.name == "wpe.weight"
                   ? writer(source, places.input(0), spec.name)
                   : std::nullopt;
    const std::string part = part_of(spec);
    if (part.ends_with(".bias")) return bias(source, spec, part);
    if (part == "attn.q.weight") {
        const StreamBasis* theta = basis(source, places.input(spec.layer));
        if (theta == nullptr) return std::nullopt;
        return theta->as_reader(read_matrix(source, LayerMatrix{spec.layer})).values;
    }
    if (part == "attn.k.weight" || part == "attn.v.weight")
        return reader(source, places.input(spec.layer), spec.name);
    if (part == "mlp.up.weight" || part == "mlp.gate.weight")
        return reader(source, places.middle(spec.layer), spec.name);
    if (part == "attn.o.weight")
        return writer(source, places.attention_output(spec.layer), spec.name);
    if (part == "mlp.down.weight") return writer(source, places.input(spec.layer + 1), spec.name);
    return std::nullopt;
}

/// A bias that is added to the stream changes its basis with it. What b_V and b_O add goes where
/// W_O's bias was, or, where there is no W_O any more, into what reads and carries on the stream:
/// the MLP's first biases, and its last for the skip around it.
std::optional<std::vector<double>> RebasedTensors::bias(const WeightSource& source,
                                                        const ParameterSpec& spec,
                                                        const std::string& part) {
    const StreamPlaces& places = plan_->places();
    const ModelConfig& after = plan_->config();
    const bool output = part == "attn.o.bias", down = part == "mlp.down.bias";
    const bool first = part == "mlp.up.bias" || part == "mlp.gate.bias";
    if (!output && !down && !first) return std::nullopt;
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
