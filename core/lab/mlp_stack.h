#pragma once

#include <cstdint>
#include <vector>

#include "core/config/model_config.h"

namespace headroom {

/// A stack of MLP blocks without norms or biases, float32, rows: x <- act(x up) down, or with a
/// gate (act(x gate) * (x up)) down, plus x where there is a skip.
struct StackShape {
    int64_t d_model = 0, d_ff = 0, depth = 1;
    MlpKind kind = MlpKind::kGelu;
    bool skip = true;
};

/// AdamW: Loshchilov & Hutter 2019, arXiv:1711.05101. Muon: orthogonal.h.
enum class StackUpdate { kAdamW, kMuon };

struct StackOptimizer {
    double lr = 5e-3, weight_decay = 0.1, grad_clip = 3.0;  ///< cosine to 0 over `steps`
    int64_t steps = 0;
    StackUpdate update = StackUpdate::kAdamW;
    double beta1 = 0.9, beta2 = 0.999;  ///< of AdamW
    double momentum = 0.95;             ///< of Muon
};

/// Trains to predict y from x; its loss is Σ‖prediction - y‖² / Σ‖y‖² over the batch. Equal seeds
/// give equal numbers on one machine.
class MlpStack {
  public:
    /// Matrices start as N(0, 1) / sqrt(d_ff): as the basis-transfer target is made.
    MlpStack(const StackShape& shape, uint64_t seed);

    const StackShape& shape() const { return shape_; }
    /// Of x [n, d_model], row-major.
    std::vector<float> forward(const std::vector<float>& x);
    /// One step of the schedule on x, y [n, d_model]; returns the loss before it.
    double train_step(const std::vector<float>& x, const std::vector<float>& y,
                      const StackOptimizer& optimizer);
    /// Gradients of the loss, block after block: up, gate if gated, down. For tests.
    std::vector<std::vector<float>> gradients(const std::vector<float>& x,
                                              const std::vector<float>& y, double* loss = nullptr);
    /// The matrices in the order of gradients().
    std::vector<std::vector<float>>& weights() { return weights_; }

  private:
    struct Block {  ///< what the backward pass needs of a forward pass
        std::vector<float> x, up, gate, hidden;
    };
    int64_t matrices() const { return gated_ ? 3 : 2; }
    void backward(int64_t block, std::vector<float>& dy,
                  std::vector<std::vector<float>>& gradients) const;

    void adamw_update(size_t m, const std::vector<float>& gradient, double lr,
                      const StackOptimizer& optimizer);
    void muon_update(size_t m, const std::vector<float>& gradient, double lr, double momentum);

    StackShape shape_;
    bool gated_;
    std::vector<std::vector<float>> weights_, first_, second_;  ///< and the optimizer's moments
    std::vector<Block> blocks_;
    int64_t step_ = 0;
};

/// sqrt(Σ‖a - b‖² / Σ‖b‖²) and the mean over rows of 1 - cosine.
struct RelativeError {
    double error = 0, cosine_distance = 0;
};
RelativeError relative_error(const std::vector<float>& a, const std::vector<float>& b,
                             int64_t d_model);

}  // namespace headroom
