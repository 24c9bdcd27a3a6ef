#include "core/ops/cast.h"

#include "core/graph/backward.h"

namespace headroom {

std::vector<TensorType> Cast::infer(std::span<const TensorType> inputs) const {
    require_inputs(*this, inputs, 1);
    return {{to_, inputs[0].shape}};
}

void Cast::backward(Backward& b) const {
    if (!b.wants(0)) return;
    b.emit(std::make_shared<Cast>(b.input_type(0).dtype), {b.output_grad(0)}, {0});
}

}  // namespace headroom
