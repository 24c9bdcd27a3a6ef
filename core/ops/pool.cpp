#include "core/ops/pool.h"

#include "core/graph/backward.h"

namespace headroom {

std::vector<TensorType> Pool::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3, *this, "sequences (B, T, d)", in[0]);
    return {{in[0].dtype, {in[0].shape[0], in[0].columns()}}};
}

void Pool::backward(Backward& b) const {
    if (!b.wants(0)) return;
    b.emit(std::make_shared<PoolBackward>(kind_, b.input_type(0).shape[1]), {b.output_grad(0)},
           {0});
}

std::vector<TensorType> PoolBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 2, *this, "a gradient (B, d)", in[0]);
    return {{in[0].dtype, {in[0].shape[0], length_, in[0].columns()}}};
}

}  // namespace headroom
