#include "core/ops/rotary.h"

#include <fmt/format.h>

#include "core/graph/backward.h"

namespace headroom {

Rotary::Rotary(RotaryOptions options) : options_(options) {
    const RotaryOptions& o = options_;
    if (o.first < 0 || o.width < 2 || o.width % 2 != 0 || o.first + o.width > o.d_head)
        throw UserError(fmt::format("rotary: columns {} to {} of a head of {}", o.first,
                                    o.first + o.width, o.d_head),
                        "rotate an even number of the head's columns");
}

std::vector<TensorType> Rotary::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3 && in[0].columns() % options_.d_head == 0, *this,
                 fmt::format("x [B, T, n * {}]", options_.d_head), in[0]);
    return {in[0]};
}

// The Jacobian is orthogonal, so its transpose is the rotation by the opposite angle.
void Rotary::backward(Backward& b) const {
    if (!b.wants(0)) return;
    RotaryOptions back = options_;
    back.inverse = !back.inverse;
    b.emit(std::make_shared<Rotary>(back), {b.output_grad(0)}, {0});
}

}  // namespace headroom
