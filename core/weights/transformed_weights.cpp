#include "core/weights/transformed_weights.h"

#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

CheckpointMetadata provenance(const WeightSource& source, const Transformation& transformation) {
    CheckpointMetadata metadata = source.metadata();
    const auto entry = [&](const char* what) -> std::string& {
        return metadata.other[fmt::format("{}_{}", transformation.done, what)];
    };
    if (entry("from").empty()) entry("from") = source.title();
    std::string& with = entry("with");
    with =
        with.empty() ? transformation.method : fmt::format("{}, {}", with, transformation.method);
    if (metadata.step) entry("step") = fmt::to_string(*metadata.step);
    if (metadata.tokens) entry("tokens") = fmt::to_string(*metadata.tokens);
    metadata.step.reset();
    metadata.tokens.reset();
    return metadata;
}

}  // namespace

TransformedWeights::TransformedWeights(std::shared_ptr<const WeightSource> source,
                                       Transformation transformation)
    : source_(std::move(source)), transformation_(std::move(transformation)) {
    metadata_ = provenance(*source_, transformation_);
    set_model(source_->title(), transformation_.config);
}

StoredType TransformedWeights::type(std::string_view name) const {
    CHECK(has(name), "not a tensor of the model: " + std::string(name));
    return source_->type(source_->has(name) ? name : source_->specs().front().name);
}

template <class T>
std::vector<T> TransformedWeights::read_as(const ParameterSpec& spec) const {
    std::optional<std::vector<double>> made = transformation_.tensor(*source_, spec);
    if (!made) return source_->read<T>(spec.name);
    if constexpr (std::is_same_v<T, double>)
        return std::move(*made);
    else
        return std::vector<T>(made->begin(), made->end());
}

std::vector<float> TransformedWeights::read_float(const ParameterSpec& spec) const {
    return read_as<float>(spec);
}

std::vector<double> TransformedWeights::read_double(const ParameterSpec& spec) const {
    return read_as<double>(spec);
}

}  // namespace headroom
