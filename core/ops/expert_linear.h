#pragma once

#include "core/graph/op.h"

namespace headroom {

/// A linear map for each expert: y[r] = x[r] W_e for the rows r from offsets[e] up to
/// offsets[e + 1]; rows behind the last expert's are zero. x (R, in), offsets [E + 1] of Route, E
/// weights [in, out] -> y (R, out). Sums in float32 for bfloat16 storage.
class ExpertLinear : public Op {
  public:
    std::string_view name() const override { return "expert_linear"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;
};

/// dx[r] = dy[r] W_e^T, zero behind the last expert's rows.
/// dy (R, out), offsets, E weights [in, out] -> dx (R, in).
class ExpertLinearBackwardInput : public Op {
  public:
    std::string_view name() const override { return "expert_linear_backward_input"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;
};

/// dW_e = x^T dy over the expert's rows. x (R, in), dy (R, out), offsets -> E gradients [in, out]
/// in the accumulator type.
class ExpertLinearBackwardWeight : public Op {
  public:
    std::string_view name() const override { return "expert_linear_backward_weight"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;
};

/// y[r] = x[r] + b_e for the expert's rows; those behind the last are kept. x (R, d), offsets, E
/// biases [d] in the accumulator type -> y like x. dx is dy itself.
class ExpertBias : public Op {
  public:
    std::string_view name() const override { return "expert_bias"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int input, int) const override { return input == 0; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// db_e = sum of dy over the expert's rows. dy (R, d), offsets -> E gradients [d] in the
/// accumulator type.
class ExpertBiasBackward : public Op {
  public:
    std::string_view name() const override { return "expert_bias_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

}  // namespace headroom
