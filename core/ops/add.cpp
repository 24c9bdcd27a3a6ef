#include "core/ops/add.h"

#include "core/graph/backward.h"

namespace headroom {

std::vector<TensorType> Add::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[1] == in[0], *this, "two summands " + to_string(in[0]), in[1]);
    return {in[0]};
}

void Add::backward(Backward& b) const {
    for (const size_t i : {size_t{0}, size_t{1}})
        if (b.wants(i)) b.pass(i, b.output_grad(0));
}

}  // namespace headroom
