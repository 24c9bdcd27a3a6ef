#pragma once

#include "core/graph/op.h"

namespace headroom {

/// y = x in another (or the same) number type. Copies parameters into their bfloat16 working
/// copies and adds gradient buffers. x: any shape -> y: the same shape, `to`, in `layout` (panels:
/// of bfloat16 matrices that fit, on the CPU).
class Cast : public Op {
  public:
    explicit Cast(DType to, MemoryLayout layout = MemoryLayout::kRows) : to_(to), layout_(layout) {}

    std::string_view name() const override { return "cast"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    /// dx = dy, converted back.
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;

  private:
    DType to_;
    MemoryLayout layout_;
};

}  // namespace headroom
