#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Cross-entropy of given logits and how many rows they get right: loss = mean over the valid
/// targets of (log-sum-exp(logits) - logits[target]), in nats; correct = how many valid targets are
/// the class of their row's largest logit, the first of equal ones.
/// logits (..., n), targets i32, one a row -> loss [1], correct [1], both in the accumulator type.
/// Targets equal to kIgnoredTarget do not count; with no valid target both are 0. For few classes:
/// a vocabulary's logits are never all in memory with linear_cross_entropy.h.
class CrossEntropy : public Op {
  public:
    /// Gradients are those of loss * gradient_scale (1 / grad_accum).
    explicit CrossEntropy(double gradient_scale = 1.0) : gradient_scale_(gradient_scale) {}

    std::string_view name() const override { return "cross_entropy"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

  private:
    double gradient_scale_;
};

/// The same with its gradient: with p = softmax(logits) and n valid targets,
///     dlogits = (p - onehot(target)) * gradient_scale / n.
/// logits, targets -> loss [1], correct [1], dlogits like logits.
class CrossEntropyWithGradient : public Op {
  public:
    explicit CrossEntropyWithGradient(double gradient_scale) : gradient_scale_(gradient_scale) {}

    std::string_view name() const override { return "cross_entropy_with_gradient"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    double gradient_scale() const { return gradient_scale_; }

  private:
    double gradient_scale_;
};

}  // namespace headroom
