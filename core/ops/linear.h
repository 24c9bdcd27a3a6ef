#pragma once

#include "core/cpu/gemm.h"
#include "core/graph/op.h"

namespace headroom {

/// y = x W. x (..., in), W [in, out] -> y (..., out). Sums in float32 for bfloat16 storage.
/// Gradients: dx = dy W^T, dW = x^T dy. With `transposed` W is stored [out, in] and y = x W^T (the
/// logits of a tied head); that form is for inference and has no gradient rule.
class Linear : public Op {
  public:
    explicit Linear(bool transposed = false) : transposed_(transposed) {}

    std::string_view name() const override { return "linear"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    bool takes_panels(int input) const override { return input == 1 && !transposed_; }
    OpCost cost(std::span<const TensorType> inputs) const override;

    bool transposed() const { return transposed_; }

  private:
    GemmShape shape(const KernelCall& call) const;
    bool transposed_;
};

/// dx = dy W^T. dy (..., out), W [in, out] -> dx (..., in). On a CPU with AVX-512 W is transposed
/// first where there are rows enough, unless tiles multiply it: the library's kernels are slower
/// there by up to a fifth when they transpose. Its AVX2 kernels are not, and the copy would cost a
/// tenth of the product.
class LinearBackwardInput : public Op {
  public:
    /// True if the fast kernel works on a transposed copy of W.
    static bool copies_weight(const TensorType& dy, const TensorType& w);

    std::string_view name() const override { return "linear_backward_input"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    bool takes_panels(int input) const override { return input == 1; }
    OpCost cost(std::span<const TensorType> inputs) const override;
};

/// dW = x^T dy. x (..., in), dy (..., out) -> dW [in, out] in the accumulator type, and where it
/// tells the norm (Op::telling_norm) that of dW.
class LinearBackwardWeight : public Op {
  public:
    explicit LinearBackwardWeight(bool tells_norm = false) : tells_norm_(tells_norm) {}

    std::string_view name() const override { return "linear_backward_weight"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpPtr telling_norm(int output) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;

  private:
    bool tells_norm_;
};

}  // namespace headroom
