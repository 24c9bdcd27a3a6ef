#pragma once

#include "core/graph/op.h"

namespace headroom {

/// A linear map of its own for every head, the maps standing side by side in one matrix: the
/// up-projections of latent attention absorbed into query and output (DeepSeek-AI 2024,
/// arXiv:2405.04434, section 2.1). W [r, n_head w], W_h its columns [h w, (h+1) w).
///   transposed:  y_h = x_h[0, w) W_h^T, (.., n_head stride) -> (.., n_head r); x_h has `stride`
///                columns, of which the first w count
///   else:        y_h = x_h W_h, (.., n_head r) -> (.., n_head w)
/// No gradient: for decoding. Sums in the accumulator type.
class HeadLinear : public Op {
  public:
    HeadLinear(int64_t n_head, bool transposed, int64_t stride)
        : n_head_(n_head), transposed_(transposed), stride_(stride) {}

    std::string_view name() const override { return "head_linear"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    int64_t n_head() const { return n_head_; }
    bool transposed() const { return transposed_; }
    int64_t stride() const { return stride_; }

  private:
    int64_t n_head_;
    bool transposed_;
    int64_t stride_;
};

}  // namespace headroom
