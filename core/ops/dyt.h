#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Dynamic tanh, y = g tanh(α x) + b: Zhu et al. 2025, arXiv:2503.10622, section 4; α is one
/// number. {x T (..., d), g [d], b [d], α [1]} -> y like x; g, b, α in the accumulator type.
class DyT : public Op {
  public:
    std::string_view name() const override { return "dyt"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int input, int) const override { return input == 0; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// Which gradients of DyT are wanted; the outputs are the wanted ones in this order. dα comes with
/// the gains.
struct DyTTargets {
    bool input = true;
    bool parameters = true;
};

/// With t = tanh(α x) and dz = dy g (1 - t²):
///     dx = α dz,  dg = sum over rows of dy t,  db = sum over rows of dy,  dα = sum of dz x.
/// {x, g, α, dy} -> {dx, dg [d], db [d], dα [1]}.
class DyTBackward : public Op {
  public:
    explicit DyTBackward(DyTTargets targets) : targets_(targets) {}

    std::string_view name() const override { return "dyt_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    DyTTargets targets() const { return targets_; }

  private:
    DyTTargets targets_;
};

}  // namespace headroom
