#pragma once

#include "core/graph/op.h"

namespace headroom {

/// What the experts read, sorted by expert: y[r] = x of the token of sources[r], zero where that
/// is -1. x (..., d), slots (..., k) and sources [R] of Route -> y (R, d).
class ExpertRows : public Op {
  public:
    std::string_view name() const override { return "expert_rows"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// dx[t] = sum of dy[slot] over the token's slots. dy (R, d), slots (..., k) -> dx (..., d).
class ExpertRowsBackward : public Op {
  public:
    std::string_view name() const override { return "expert_rows_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// What a token gets back: y[t] = sum_j weights[t, j] x[slots[t, j]], nothing for a slot of -1.
/// x (R, d), weights (..., k) in the accumulator type, slots (..., k), sources [R] -> y (..., d).
class ExpertSum : public Op {
  public:
    std::string_view name() const override { return "expert_sum"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// dx[r] = weight dy[t] of the assignment sources[r], zero behind the last; dweights[t, j] =
/// dy[t] x[slots[t, j]], zero for a slot of -1.
/// dy (..., d), x (R, d), weights (..., k), slots (..., k), sources [R] -> dx, dweights.
class ExpertSumBackward : public Op {
  public:
    std::string_view name() const override { return "expert_sum_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

}  // namespace headroom
