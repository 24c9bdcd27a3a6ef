#include "core/ops/linear_cross_entropy.h"

#include "core/graph/backward.h"
#include "core/ops/classifier_blocks.h"

namespace headroom {
namespace {

void check_inputs(const Op& op, std::span<const TensorType> in, bool tied) {
    require_inputs(op, in, in.size() == 4 ? 4 : 3);
    require_type(in[1].shape.size() == 2, op, "a weight matrix", in[1]);
    const int64_t d_model = tied ? in[1].shape[1] : in[1].shape[0];
    require_type(in[0].columns() == d_model && in[0].dtype == in[1].dtype, op,
                 "an input (..., d_model) for the weight " + to_string(in[1]), in[0]);
    require_type(in[2].dtype == DType::kI32 && in[2].count() == in[0].rows(), op,
                 "one int32 target per row of " + to_string(in[0]), in[2]);
    if (in.size() == 4)
        require_type(in[3] == TensorType{DType::kF64, {1}}, op, "the number to divide by", in[3]);
}

}  // namespace

std::vector<TensorType> LinearCrossEntropy::infer(std::span<const TensorType> in) const {
    check_inputs(*this, in, options_.tied);
    return {{accumulator_of(in[0].dtype), {1}}};
}

void LinearCrossEntropy::backward(Backward& b) const {
    CHECK(b.wants(0) && b.wants(1), "the loss depends on the model");
    std::vector<ValueId> inputs{b.input(0), b.input(1), b.input(2)};
    if (b.input_count() == 4) inputs.push_back(b.input(3));
    b.emit_fused(std::make_shared<LinearCrossEntropyWithGradient>(options_), std::move(inputs),
                 {0, 1});
}

int64_t LinearCrossEntropy::workspace_bytes(std::span<const TensorType> in, int) const {
    return ClassifierBlocks(in[0], in[1], options_.tied).workspace_bytes();
}

OpCost LinearCrossEntropy::cost(std::span<const TensorType> in) const {
    return {2.0 * static_cast<double>(in[0].rows()) * static_cast<double>(in[1].count()),
            static_cast<double>(in[0].bytes() + in[1].bytes())};
}

std::vector<TensorType> LinearCrossEntropyWithGradient::infer(
    std::span<const TensorType> in) const {
    check_inputs(*this, in, options_.tied);
    const DType sums = accumulator_of(in[0].dtype);
    std::vector<TensorType> out{{sums, {1}}, in[0], {sums, in[1].shape}};
    if (tells_norm_) out.push_back({DType::kF64, {1}});
    return out;
}

OpPtr LinearCrossEntropyWithGradient::telling_norm(int output) const {
    if (output != 2) return nullptr;
    return std::make_shared<LinearCrossEntropyWithGradient>(options_, true);
}

int64_t LinearCrossEntropyWithGradient::workspace_bytes(std::span<const TensorType> in, int) const {
    const ClassifierBlocks blocks(in[0], in[1], options_.tied);
    return blocks.workspace_bytes() + (tells_norm_ ? blocks.norm_scratch_bytes() : 0);
}

OpCost LinearCrossEntropyWithGradient::cost(std::span<const TensorType> in) const {
    return {6.0 * static_cast<double>(in[0].rows()) * static_cast<double>(in[1].count()),
            static_cast<double>(2 * in[0].bytes() + 3 * in[1].bytes())};
}

}  // namespace headroom
