#include "core/ops/expert_linear.h"

#include <algorithm>
#include <numeric>

#include "core/graph/backward.h"
#include "core/ops/skinny_gemm.h"

namespace headroom {
namespace {

int64_t check_offsets(const Op& op, const TensorType& offsets) {
    require_type(offsets.dtype == DType::kI32 && offsets.shape.size() == 1 && offsets.shape[0] >= 2,
                 op, "int32 offsets [E + 1]", offsets);
    return offsets.shape[0] - 1;
}

/// What stands behind the offsets: alike for every expert.
void check_experts(const Op& op, std::span<const TensorType> in, size_t dimensions) {
    if (in.size() < 3) require_inputs(op, in, 3);
    const int64_t experts = check_offsets(op, in[1]);
    require_inputs(op, in, static_cast<size_t>(experts) + 2);
    require_type(in[0].shape.size() == 2, op, "rows (R, n)", in[0]);
    require_type(in[2].shape.size() == dimensions, op, "the tensor of an expert", in[2]);
    for (const TensorType& type : in.subspan(3))
        require_type(type == in[2], op, to_string(in[2]) + " of every expert", type);
}

/// The rows of all experts together: each is multiplied once.
OpCost rows_cost(std::span<const TensorType> in, double rows, double width, double other) {
    OpCost cost{2.0 * rows * width * other, 0};
    for (const TensorType& type : in) cost.bytes += static_cast<double>(type.bytes());
    return cost;
}

int64_t skinny_bytes(std::span<const TensorType> in, int64_t width, bool transposed) {
    return skinny_gemm_workspace(kSkinnyRows, width, in[0].columns(), transposed) *
           static_cast<int64_t>(size_of(accumulator_of(in[0].dtype)));
}

/// Inputs from the third on.
std::vector<size_t> expert_inputs(const Backward& b) {
    std::vector<size_t> inputs(b.input_count() - 2);
    std::iota(inputs.begin(), inputs.end(), size_t{2});
    return inputs;
}

}  // namespace

std::vector<TensorType> ExpertLinear::infer(std::span<const TensorType> in) const {
    check_experts(*this, in, 2);
    require_type(in[0].columns() == in[2].shape[0] && in[0].dtype == in[2].dtype, *this,
                 "rows (R, in) for the weight " + to_string(in[2]), in[0]);
    return {{in[0].dtype, {in[0].shape[0], in[2].shape[1]}}};
}

void ExpertLinear::backward(Backward& b) const {
    const ValueId dy = b.output_grad(0);
    if (b.wants(2))
        b.emit(std::make_shared<ExpertLinearBackwardWeight>(), {b.input(0), dy, b.input(1)},
               expert_inputs(b));
    if (!b.wants(0)) return;
    std::vector<ValueId> inputs{dy, b.input(1)};
    for (const size_t i : expert_inputs(b)) inputs.push_back(b.input(i));
    b.emit(std::make_shared<ExpertLinearBackwardInput>(), std::move(inputs), {0});
}

int64_t ExpertLinear::workspace_bytes(std::span<const TensorType> in, int) const {
    return skinny_bytes(in, in[2].shape[1], false);
}

OpCost ExpertLinear::cost(std::span<const TensorType> in) const {
    return rows_cost(in, in[0].rows(), in[2].shape[0], in[2].shape[1]);
}

std::vector<TensorType> ExpertLinearBackwardInput::infer(std::span<const TensorType> in) const {
    check_experts(*this, in, 2);
    require_type(in[0].columns() == in[2].shape[1] && in[0].dtype == in[2].dtype, *this,
                 "a gradient (R, out) for the weight " + to_string(in[2]), in[0]);
    return {{in[0].dtype, {in[0].shape[0], in[2].shape[0]}}};
}

int64_t ExpertLinearBackwardInput::workspace_bytes(std::span<const TensorType> in, int) const {
    return skinny_bytes(in, in[2].shape[0], true);
}

OpCost ExpertLinearBackwardInput::cost(std::span<const TensorType> in) const {
    return rows_cost(in, in[0].rows(), in[2].shape[0], in[2].shape[1]);
}

std::vector<TensorType> ExpertLinearBackwardWeight::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 3);
    const int64_t experts = check_offsets(*this, in[2]);
    require_type(in[0].shape.size() == 2, *this, "rows (R, in)", in[0]);
    require_type(
        in[1].shape.size() == 2 && in[0].rows() == in[1].rows() && in[0].dtype == in[1].dtype,
        *this, "a gradient of the rows " + to_string(in[0]), in[1]);
    const TensorType weight{accumulator_of(in[0].dtype), {in[0].columns(), in[1].columns()}};
    return std::vector<TensorType>(static_cast<size_t>(experts), weight);
}

OpCost ExpertLinearBackwardWeight::cost(std::span<const TensorType> in) const {
    return rows_cost(in, in[0].rows(), in[0].columns(), in[1].columns());
}

std::vector<TensorType> ExpertBias::infer(std::span<const TensorType> in) const {
    check_experts(*this, in, 1);
    const TensorType bias{accumulator_of(in[0].dtype), {in[0].columns()}};
    require_type(in[2] == bias, *this, "a bias " + to_string(bias), in[2]);
    return {in[0]};
}

void ExpertBias::backward(Backward& b) const {
    const ValueId dy = b.output_grad(0);
    if (b.wants(2))
        b.emit(std::make_shared<ExpertBiasBackward>(), {dy, b.input(1)}, expert_inputs(b));
    if (b.wants(0)) b.pass(0, dy);
}

std::vector<TensorType> ExpertBiasBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    const int64_t experts = check_offsets(*this, in[1]);
    require_type(in[0].shape.size() == 2, *this, "a gradient (R, d)", in[0]);
    const TensorType bias{accumulator_of(in[0].dtype), {in[0].columns()}};
    return std::vector<TensorType>(static_cast<size_t>(experts), bias);
}

}  // namespace headroom
