#include "core/ops/cross_entropy.h"

#include "core/graph/backward.h"

namespace headroom {
namespace {

void check_logits(const Op& op, std::span<const TensorType> in) {
    require_inputs(op, in, 2);
    require_type(in[0].shape.size() >= 2, op, "logits (..., n)", in[0]);
    require_type(in[1].dtype == DType::kI32 && in[1].count() == in[0].rows(), op,
                 "one int32 target per row of " + to_string(in[0]), in[1]);
}

/// A loss and whether it is right, of each row.
int64_t row_results_bytes(std::span<const TensorType> in) {
    return 2 * in[0].rows() * static_cast<int64_t>(sizeof(double));
}

}  // namespace

std::vector<TensorType> CrossEntropy::infer(std::span<const TensorType> in) const {
    check_logits(*this, in);
    const TensorType number{accumulator_of(in[0].dtype), {1}};
    return {number, number};
}

void CrossEntropy::backward(Backward& b) const {
    CHECK(b.wants(0), "the loss depends on the model");
    b.emit_fused(std::make_shared<CrossEntropyWithGradient>(gradient_scale_),
                 {b.input(0), b.input(1)}, {0});
}

int64_t CrossEntropy::workspace_bytes(std::span<const TensorType> in, int) const {
    return row_results_bytes(in);
}

std::vector<TensorType> CrossEntropyWithGradient::infer(std::span<const TensorType> in) const {
    check_logits(*this, in);
    const TensorType number{accumulator_of(in[0].dtype), {1}};
    return {number, number, in[0]};
}

int64_t CrossEntropyWithGradient::workspace_bytes(std::span<const TensorType> in, int) const {
    return row_results_bytes(in);
}

}  // namespace headroom
