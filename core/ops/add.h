#pragma once

#include "core/graph/op.h"

namespace headroom {

/// y = a + b, the residual addition. a and b have the same shape and type, and so has y.
/// Gradients: da = db = dy, the very same buffer (see Backward::pass).
class Add : public Op {
  public:
    std::string_view name() const override { return "add"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

}  // namespace headroom
