#pragma once

#include "core/graph/op.h"

namespace headroom {

/// y = x in another (or the same) number type. Copies parameters into their bfloat16 working
/// copies and adds gradient buffers. x: any shape -> y: the same shape, `to`.
class Cast : public Op {
  public:
    explicit Cast(DType to) : to_(to) {}

    std::string_view name() const override { return "cast"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    /// dx = dy, converted back.
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    bool makes_panels(int) const override { return to_ == DType::kBF16; }

  private:
    DType to_;
};

}  // namespace headroom
