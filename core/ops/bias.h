#pragma once

#include "core/graph/op.h"

namespace headroom {

/// y = x + b for every row. x (..., d), b [d] in the accumulator type -> y like x. dx is dy itself.
class AddBias : public Op {
  public:
    std::string_view name() const override { return "add_bias"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int input, int) const override { return input == 0; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// db = sum of dy over its rows. dy (..., d) -> db [d] in the accumulator type.
class AddBiasBackward : public Op {
  public:
    std::string_view name() const override { return "add_bias_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

}  // namespace headroom
