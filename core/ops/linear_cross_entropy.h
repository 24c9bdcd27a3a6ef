#pragma once

#include "core/graph/op.h"

namespace headroom {

struct LinearCrossEntropyOptions {
    /// true: W is the embedding table [vocab_size, d_model] and logits are x W^T; false: W is a
    /// head [d_model, vocab_size] and logits are x W.
    bool tied = true;
    /// Gradients are those of loss * gradient_scale (1 / grad_accum).
    double gradient_scale = 1.0;
};

/// Cross-entropy of the next token, fused with the classifier: logits = x W^T, loss = mean over
/// the valid targets of (log-sum-exp(logits) - logits[target]), in nats.
/// x (..., d), W, targets i32 (...) [, mean_over f64 [1]] -> loss [1] in the accumulator type.
/// Targets equal to kIgnoredTarget do not count; with no valid target the loss is 0. Given
/// `mean_over`, the sum is divided by that number, at least 1, in place of the number of valid
/// targets: so that parts of a batch with different numbers add up to the mean of the whole. Rows
/// are worked on in blocks (classifier_blocks.h), so that the logits are never all in memory.
class LinearCrossEntropy : public Op {
  public:
    explicit LinearCrossEntropy(LinearCrossEntropyOptions options) : options_(options) {}

    std::string_view name() const override { return "linear_cross_entropy"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    bool takes_panels(int input) const override { return input == 1; }
    OpCost cost(std::span<const TensorType> inputs) const override;

    const LinearCrossEntropyOptions& options() const { return options_; }

  private:
    LinearCrossEntropyOptions options_;
};

/// The loss with its gradients in one pass over the logits, so that they are computed once:
/// with p = softmax(logits) and n valid targets (or n = mean_over),
///     dlogits = (p - onehot(target)) * gradient_scale / n,   dx = dlogits W,   dW = dlogits^T x.
/// x, W, targets [, mean_over] -> loss [1], dx (..., d), dW in the accumulator type, and where it
/// tells the norm (Op::telling_norm) that of dW.
class LinearCrossEntropyWithGradient : public Op {
  public:
    explicit LinearCrossEntropyWithGradient(LinearCrossEntropyOptions options,
                                            bool tells_norm = false)
        : options_(options), tells_norm_(tells_norm) {}

    std::string_view name() const override { return "linear_cross_entropy_with_gradient"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    bool takes_panels(int input) const override { return input == 1; }
    OpPtr telling_norm(int output) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;

    const LinearCrossEntropyOptions& options() const { return options_; }

  private:
    LinearCrossEntropyOptions options_;
    bool tells_norm_;
};

}  // namespace headroom
