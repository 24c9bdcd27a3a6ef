#include "core/ops/bias.h"

#include "core/graph/backward.h"

namespace headroom {

std::vector<TensorType> AddBias::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    const TensorType bias{accumulator_of(in[0].dtype), {in[0].columns()}};
    require_type(in[1] == bias, *this, "a bias " + to_string(bias), in[1]);
    return {in[0]};
}

void AddBias::backward(Backward& b) const {
    const ValueId dy = b.output_grad(0);
    if (b.wants(1)) b.emit(std::make_shared<AddBiasBackward>(), {dy}, {1});
    if (b.wants(0)) b.pass(0, dy);
}

std::vector<TensorType> AddBiasBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    return {{accumulator_of(in[0].dtype), {in[0].columns()}}};
}

}  // namespace headroom
