#include "core/weights/fresh_weights.h"

#include <span>
#include <utility>

#include "core/model/initialize.h"

namespace headroom {

FreshWeights::FreshWeights(ModelConfig config, uint64_t seed) : seed_(seed) {
    set_model("a new model", std::move(config));
}

std::vector<float> FreshWeights::read_float(const ParameterSpec& spec) const {
    std::vector<float> values(static_cast<size_t>(spec.count()));
    fill_initial(spec, seed_, std::span<float>(values));
    return values;
}

std::vector<double> FreshWeights::read_double(const ParameterSpec& spec) const {
    std::vector<double> values(static_cast<size_t>(spec.count()));
    fill_initial(spec, seed_, std::span<double>(values));
    return values;
}

}  // namespace headroom
