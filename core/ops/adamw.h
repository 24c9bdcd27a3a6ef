#pragma once

#include <optional>

#include "core/graph/op.h"

namespace headroom {

/// The global norm of all gradients: sqrt(sum g^2). Any number of float32 or float64 tensors, and
/// in their place at the end `told` squared norms (Op::telling_norm), float64 [1] -> norm [1]
/// float64. Sums in double over pieces of fixed length, so that the result does not depend on the
/// number of threads.
class GradientNorm : public Op {
  public:
    explicit GradientNorm(size_t told = 0) : told_(told) {}

    std::string_view name() const override { return "gradient_norm"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

  private:
    double told(const KernelCall& call) const;

    size_t told_;
};

struct AdamWOptions {
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
    double weight_decay = 0.0;  ///< 0 for tensors that do not decay
    double grad_clip = 0.0;     ///< largest global norm; 0 = no clipping
    double lr_scale = 1.0;      ///< times the step's rate; for graphs that train with several rates
};

/// AdamW with decoupled decay (Loshchilov and Hutter 2019, arXiv:1711.05101), at step t with rate
/// lr of the StepContext times lr_scale, g clipped by min(1, grad_clip / (norm + 1e-6)):
///     m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2,
///     w = w (1 - lr weight_decay) - lr / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + eps).
/// gradient, norm [1] float64 -> w, m, v, updated in place (they must be accumulated outputs), and
/// where it is asked for w rounded to `copy`, the working copy that products read, overwritten.
/// A norm that is not finite leaves everything unchanged.
class AdamW : public Op {
  public:
    explicit AdamW(AdamWOptions options, std::optional<DType> copy = {})
        : options_(options), copy_(copy) {}

    std::string_view name() const override { return "adamw"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    bool makes_panels(int output) const override { return output == 3 && copy_ == DType::kBF16; }
    OpCost cost(std::span<const TensorType> inputs) const override;

    const AdamWOptions& options() const { return options_; }
    bool has_copy() const { return copy_.has_value(); }

  private:
    AdamWOptions options_;
    std::optional<DType> copy_;
};

}  // namespace headroom
