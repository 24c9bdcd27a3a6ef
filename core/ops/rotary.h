#pragma once

#include "core/graph/op.h"

namespace headroom {

struct RotaryOptions {
    int64_t d_head = 0;  ///< width of one head
    int64_t first = 0;   ///< first rotated column of a head
    int64_t width = 0;   ///< rotated columns, even; the others pass unchanged
    double theta = 10000.0;
    bool interleaved = false;  ///< pairs (2j, 2j+1) in place of (j, j + width/2)
    bool inverse = false;      ///< rotate back
};

/// Rotary position embedding: Su et al. 2021, arXiv:2104.09864, section 3.2.2, equation 34. At
/// position t (the row's place in its pass, plus StepContext::position) pair j of every head turns
/// by t theta^(-2j/width): (a, b) -> (a cos - b sin, b cos + a sin). x (batch_size, seq_len, n
/// d_head) -> y of the same type. The gradient is the rotation back. Angles in double.
class Rotary : public Op {
  public:
    /// Throws UserError unless 0 <= first, first + width <= d_head and width is even.
    explicit Rotary(RotaryOptions options);

    std::string_view name() const override { return "rotary"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const RotaryOptions& options() const { return options_; }

  private:
    RotaryOptions options_;
};

}  // namespace headroom
