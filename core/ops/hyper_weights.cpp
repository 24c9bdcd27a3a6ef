#include "core/ops/hyper_weights.h"

#include "core/graph/backward.h"

namespace headroom {
namespace {

void require_square(const Op& op, const TensorType& x) {
    require_type(x.shape.size() == 2 && x.shape[0] == x.shape[1] &&
                     (x.dtype == DType::kF32 || x.dtype == DType::kF64),
                 op, "a square matrix of an accumulator type", x);
}

}  // namespace

std::vector<TensorType> ScaledSigmoid::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].dtype == DType::kF32 || in[0].dtype == DType::kF64, *this,
                 "numbers of an accumulator type", in[0]);
    return {in[0]};
}

void ScaledSigmoid::backward(Backward& b) const {
    if (b.wants(0))
        b.emit(std::make_shared<ScaledSigmoidBackward>(scale_), {b.output(0), b.output_grad(0)},
               {0});
}

std::vector<TensorType> ScaledSigmoidBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[1] == in[0], *this, "a gradient " + to_string(in[0]), in[1]);
    return {in[0]};
}

std::vector<TensorType> Sinkhorn::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_square(*this, in[0]);
    return {in[0]};
}

void Sinkhorn::backward(Backward& b) const {
    if (b.wants(0))
        b.emit(std::make_shared<SinkhornBackward>(), {b.input(0), b.output_grad(0)}, {0});
}

std::vector<TensorType> SinkhornBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_square(*this, in[0]);
    require_type(in[1] == in[0], *this, "a gradient " + to_string(in[0]), in[1]);
    return {in[0]};
}

}  // namespace headroom
