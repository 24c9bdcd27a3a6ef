#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Which row stands for a sequence: its first, or the mean of all.
enum class PoolKind { kFirst, kMean };

/// y[b] = x[b, 0], or the mean of x[b, t] over t: what a classifier reads of a sequence
/// (Dosovitskiy et al. 2020, arXiv:2010.11929, equation 4 and appendix D.3).
/// x (B, T, d) -> y (B, d). Sums in the accumulator type.
class Pool : public Op {
  public:
    explicit Pool(PoolKind kind) : kind_(kind) {}

    std::string_view name() const override { return "pool"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    PoolKind kind() const { return kind_; }

  private:
    PoolKind kind_;
};

/// dx[b, t] = dy[b] for t = 0 and zero for the others, or dy[b] / T. dy (B, d) -> dx (B, T, d).
class PoolBackward : public Op {
  public:
    PoolBackward(PoolKind kind, int64_t length) : kind_(kind), length_(length) {}

    std::string_view name() const override { return "pool_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    PoolKind kind() const { return kind_; }

  private:
    PoolKind kind_;
    int64_t length_;
};

}  // namespace headroom
