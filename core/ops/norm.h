#pragma once

#include "core/graph/op.h"

namespace headroom {

/// y = (x - μ) rstd g with rstd = 1 / sqrt(mean((x - μ)²) + eps), over the last dimension, without
/// bias: Ba, Kiros, Hinton 2016, arXiv:1607.06450, section 3; the variance is the biased one.
/// {x T (..., d), gain [d] in the accumulator type} -> {y T (..., d), mean [rows], rstd [rows]};
/// mean and rstd, in the accumulator type, are saved for the backward. Sums in that type.
class LayerNorm : public Op {
  public:
    explicit LayerNorm(double eps) : eps_(eps) {}

    std::string_view name() const override { return "layernorm"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int input, int output) const override { return input == 0 && output == 0; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    double eps() const { return eps_; }

  private:
    double eps_;
};

/// y = x rstd g with rstd = 1 / sqrt(mean(x²) + eps): Zhang, Sennrich 2019, arXiv:1910.07467,
/// equation 4. {x T (..., n d), gain [d]} -> {y T (..., n d), rstd [rows n]}; types as in
/// LayerNorm. With n > 1 every d columns are a row of their own with the one gain: QK-norm of n
/// heads (Henry et al. 2020, arXiv:2010.04245, in the form with a gain).
class RmsNorm : public Op {
  public:
    explicit RmsNorm(double eps) : eps_(eps) {}

    std::string_view name() const override { return "rmsnorm"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int input, int output) const override { return input == 0 && output == 0; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    double eps() const { return eps_; }

  private:
    double eps_;
};

/// Which gradients of a norm are wanted; the outputs are the wanted ones in this order.
struct NormTargets {
    bool input = true;
    bool gain = true;
};

/// With n = (x - μ) rstd and dn = dy g:
///     dx = rstd (dn - mean(dn) - n mean(dn n)),  dg = sum over rows of dy n.
/// The second and third term are the projections that the mean and the variance take out.
/// {x, gain, mean, rstd, dy} -> {dx T (..., d), dgain [d] in the accumulator type}.
class LayerNormBackward : public Op {
  public:
    explicit LayerNormBackward(NormTargets targets) : targets_(targets) {}

    std::string_view name() const override { return "layernorm_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    bool may_overwrite(int input, int output) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    NormTargets targets() const { return targets_; }

  private:
    NormTargets targets_;
};

/// With n = x rstd and dn = dy g: dx = rstd (dn - n mean(dn n)), dg = sum over rows of dy n.
/// {x, gain, rstd, dy} -> {dx like x, dgain [d] in the accumulator type}.
class RmsNormBackward : public Op {
  public:
    explicit RmsNormBackward(NormTargets targets) : targets_(targets) {}

    std::string_view name() const override { return "rmsnorm_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    bool may_overwrite(int input, int output) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    NormTargets targets() const { return targets_; }

  private:
    NormTargets targets_;
};

}  // namespace headroom
