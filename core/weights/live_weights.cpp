#include "core/weights/live_weights.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/ops/dispatch.h"

namespace headroom {

LiveWeights::LiveWeights(const Executor& executor, const std::vector<GraphParameter>& parameters,
                         ModelConfig config, CheckpointMetadata metadata)
    : executor_(executor), parameters_(parameters) {
    metadata_ = std::move(metadata);
    set_model("the model in memory", std::move(config));
}

ValueId LiveWeights::value_of(std::string_view name) const {
    const auto found =
        std::find_if(parameters_.begin(), parameters_.end(),
                     [&](const GraphParameter& each) { return each.spec.name == name; });
    CHECK(found != parameters_.end(), "not a tensor of the model: " + std::string(name));
    return found->value;
}

StoredType LiveWeights::type(std::string_view name) const {
    return stored_type_of(executor_.graph().value(value_of(name)).type.dtype);
}

template <class T>
std::vector<T> LiveWeights::read_as(const ParameterSpec& spec) const {
    const ValueId value = value_of(spec.name);
    const TensorType& type = executor_.graph().value(value).type;
    std::vector<T> numbers;
    dispatch_accumulator(type.dtype, [&]<class Stored>(Stored) {
        std::vector<Stored> stored(static_cast<size_t>(type.count()));
        executor_.read(value, std::as_writable_bytes(std::span(stored)));
        if constexpr (std::is_same_v<Stored, T>)
            numbers = std::move(stored);
        else
            numbers.assign(stored.begin(), stored.end());
    });
    return numbers;
}

std::vector<float> LiveWeights::read_float(const ParameterSpec& spec) const {
    return read_as<float>(spec);
}

std::vector<double> LiveWeights::read_double(const ParameterSpec& spec) const {
    return read_as<double>(spec);
}

}  // namespace headroom
