#pragma once

#include "core/graph/op.h"

namespace headroom {

// Maps that keep the weights of manifold-constrained hyper-connections in their range: Xie et al.
// 2025, arXiv:2512.24880, section 4. All numbers in the accumulator type; a few numbers a layer.

/// y = scale / (1 + e^-x), element by element. x of any shape -> y like x.
class ScaledSigmoid : public Op {
  public:
    explicit ScaledSigmoid(double scale) : scale_(scale) {}

    std::string_view name() const override { return "scaled_sigmoid"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;

    double scale() const { return scale_; }

  private:
    double scale_;
};

/// dx = dy y (1 - y / scale). {y, dy} -> dx.
class ScaledSigmoidBackward : public Op {
  public:
    explicit ScaledSigmoidBackward(double scale) : scale_(scale) {}

    std::string_view name() const override { return "scaled_sigmoid_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;

    double scale() const { return scale_; }

  private:
    double scale_;
};

/// R = e^x with its columns and then its rows divided by their sums, kSinkhornRounds times, which
/// makes it nearly doubly stochastic: Sinkhorn, Knopp 1967. x [n, n] -> R [n, n].
inline constexpr int kSinkhornRounds = 20;

class Sinkhorn : public Op {
  public:
    std::string_view name() const override { return "sinkhorn"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
};

/// Through the rounds in reverse order. With y = x / s, s = sum of x over a line:
///     dx = (dy - sum over the line of dy y) / s.  At the start, dx = dR0 e^x.
/// {x, dR} -> dx; the rounds are made again.
class SinkhornBackward : public Op {
  public:
    std::string_view name() const override { return "sinkhorn_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
};

}  // namespace headroom
