#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Elementwise maps of the MLP.
/// kGelu: x/2 (1 + erf(x/√2)), exact: Hendrycks, Gimpel 2016, arXiv:1606.08415, section 2.
/// kGeluTanh: x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), the approximation named there.
/// kRelu: max(x, 0). kRelu2: max(x, 0)². kSilu: x / (1 + e^-x).
enum class ActivationKind { kGelu, kGeluTanh, kRelu, kRelu2, kSilu };

std::string_view name_of(ActivationKind kind);

/// y = act(x). x: any shape -> y: the same. Arithmetic in float for bfloat16 storage.
class Activation : public Op {
  public:
    explicit Activation(ActivationKind kind) : kind_(kind) {}

    std::string_view name() const override { return "activation"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    ActivationKind kind() const { return kind_; }

  private:
    ActivationKind kind_;
};

/// dx = act'(x) dy. {x, dy} -> dx.
class ActivationBackward : public Op {
  public:
    explicit ActivationBackward(ActivationKind kind) : kind_(kind) {}

    std::string_view name() const override { return "activation_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    /// dx lies over dy alone: a device that makes dx in one go with dy still reads x meanwhile.
    bool may_overwrite(int input, int) const override { return input == 1; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    ActivationKind kind() const { return kind_; }

  private:
    ActivationKind kind_;
};

/// y = act(gate) up: SwiGLU (kSilu), GeGLU (kGelu), ReGLU (kRelu): Shazeer 2020, arXiv:2002.05202,
/// section 2. {gate, up} of one shape -> y.
class GatedActivation : public Op {
  public:
    explicit GatedActivation(ActivationKind kind) : kind_(kind) {}

    std::string_view name() const override { return "gated_activation"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    ActivationKind kind() const { return kind_; }

  private:
    ActivationKind kind_;
};

/// dgate = act'(gate) up dy, dup = act(gate) dy. {gate, up, dy} -> {dgate, dup}, or one of them.
class GatedActivationBackward : public Op {
  public:
    GatedActivationBackward(ActivationKind kind, bool want_gate, bool want_up)
        : kind_(kind), want_gate_(want_gate), want_up_(want_up) {}

    std::string_view name() const override { return "gated_activation_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    ActivationKind kind() const { return kind_; }
    bool want_gate() const { return want_gate_; }
    bool want_up() const { return want_up_; }

  private:
    ActivationKind kind_;
    bool want_gate_, want_up_;
};

}  // namespace headroom
