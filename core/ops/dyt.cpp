#include "core/ops/dyt.h"

#include "core/graph/backward.h"
#include "core/ops/column_sums.h"

namespace headroom {
namespace {

void require_parameters(const Op& op, const TensorType& x, const TensorType& gain,
                        const TensorType& alpha) {
    const DType dtype = accumulator_of(x.dtype);
    const TensorType vector{dtype, {x.columns()}}, scalar{dtype, {1}};
    require_type(gain == vector, op, "a gain " + to_string(vector), gain);
    require_type(alpha == scalar, op, "alpha " + to_string(scalar), alpha);
}

}  // namespace

std::vector<TensorType> DyT::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 4);
    require_parameters(*this, in[0], in[1], in[3]);
    require_type(in[2] == in[1], *this, "a shift " + to_string(in[1]), in[2]);
    return {in[0]};
}

void DyT::backward(Backward& b) const {
    const DyTTargets targets{b.wants(0), b.wants(1) && b.wants(2) && b.wants(3)};
    std::vector<size_t> wanted;
    if (targets.input) wanted.push_back(0);
    if (targets.parameters) wanted.insert(wanted.end(), {1, 2, 3});
    if (wanted.empty()) return;
    b.emit(std::make_shared<DyTBackward>(targets),
           {b.input(0), b.input(1), b.input(3), b.output_grad(0)}, wanted);
}

std::vector<TensorType> DyTBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 4);
    require_parameters(*this, in[0], in[1], in[2]);
    require_type(in[3] == in[0], *this, "a gradient " + to_string(in[0]), in[3]);
    std::vector<TensorType> out;
    if (targets_.input) out.push_back(in[0]);
    if (targets_.parameters) out.insert(out.end(), {in[1], in[1], in[2]});
    return out;
}

int64_t DyTBackward::workspace_bytes(std::span<const TensorType> in, int) const {
    if (!targets_.parameters) return 0;
    return block_sums_bytes(in[0].rows(), 2 * in[0].columns() + 1, accumulator_of(in[0].dtype));
}

}  // namespace headroom
