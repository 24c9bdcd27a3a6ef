#include "core/ops/expert_rows.h"

#include "core/graph/backward.h"

namespace headroom {
namespace {

void check_slots(const Op& op, const TensorType& slots, const TensorType& sources) {
    require_type(slots.dtype == DType::kI32 && slots.shape.size() >= 2, op, "int32 slots (..., k)",
                 slots);
    require_type(sources.dtype == DType::kI32 && sources.shape.size() == 1, op, "int32 sources [R]",
                 sources);
}

Shape of_width(Shape shape, int64_t columns) {
    shape.back() = columns;
    return shape;
}

}  // namespace

std::vector<TensorType> ExpertRows::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 3);
    check_slots(*this, in[1], in[2]);
    require_type(in[0].rows() == in[1].rows(), *this, "tokens of the slots " + to_string(in[1]),
                 in[0]);
    return {{in[0].dtype, {in[2].shape[0], in[0].columns()}}};
}

void ExpertRows::backward(Backward& b) const {
    if (!b.wants(0)) return;
    b.emit(std::make_shared<ExpertRowsBackward>(), {b.output_grad(0), b.input(1)}, {0});
}

std::vector<TensorType> ExpertRowsBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[0].shape.size() == 2, *this, "a gradient (R, d)", in[0]);
    require_type(in[1].dtype == DType::kI32 && in[1].shape.size() >= 2, *this,
                 "int32 slots (..., k)", in[1]);
    return {{in[0].dtype, of_width(in[1].shape, in[0].columns())}};
}

std::vector<TensorType> ExpertSum::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 4);
    check_slots(*this, in[2], in[3]);
    require_type(in[0].shape.size() == 2 && in[0].shape[0] == in[3].shape[0], *this,
                 "rows of the sources " + to_string(in[3]), in[0]);
    const TensorType weights{accumulator_of(in[0].dtype), in[2].shape};
    require_type(in[1] == weights, *this, "weights " + to_string(weights), in[1]);
    return {{in[0].dtype, of_width(in[2].shape, in[0].columns())}};
}

void ExpertSum::backward(Backward& b) const {
    CHECK(b.wants(0) && b.wants(1), "experts and their router are trained together");
    b.emit(std::make_shared<ExpertSumBackward>(),
           {b.output_grad(0), b.input(0), b.input(1), b.input(2), b.input(3)}, {0, 1});
}

std::vector<TensorType> ExpertSumBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 5);
    check_slots(*this, in[3], in[4]);
    require_type(in[1].shape.size() == 2 && in[1].shape[0] == in[4].shape[0], *this,
                 "rows of the sources " + to_string(in[4]), in[1]);
    require_type(in[0].rows() == in[3].rows() && in[0].columns() == in[1].columns() &&
                     in[0].dtype == in[1].dtype,
                 *this, "a gradient of the sums of " + to_string(in[1]), in[0]);
    require_type(in[2].shape == in[3].shape, *this, "a weight of each slot", in[2]);
    return {in[1], in[2]};
}

}  // namespace headroom
