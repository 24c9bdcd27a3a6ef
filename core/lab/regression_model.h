#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// In-context regression y = W* x + noise, W* ~ N(0, I), x ~ N(0, I), noise N(0, sigma² I), n
/// examples of d numbers: Wu et al. 2025 (SkipV1Former), appendix A with W_0 = 0, columns.
struct RegressionTask {
    int64_t d = 4, n = 8;
    double sigma = 0.1;
};

/// Many data sets, as far as the losses need them.
struct RegressionSample {
    RegressionTask task;
    std::vector<Matrix> moments;  ///< [2d, 2d]: sums of (x; y)(x; y)^T
    std::vector<Matrix> ridge;    ///< [d, d]: Y X^T (X X^T + sigma² I)^-1
    std::vector<Matrix> truth;    ///< [d, d]: W*
    /// d sigma² + d sigma² tr (X X^T + sigma² I)^-1 of each: what the best predictor leaves.
    std::vector<double> constants;
    double constant = 0;  ///< their mean
};
RegressionSample sample_regression(const RegressionTask& task, int64_t n_sets, uint64_t seed);

/// E‖λ Y X^T x - y‖² in closed form, the λ that makes it least and that value:
/// 1 / (n + d + 1 + sigma²) and d sigma² + d² (d + 1 + sigma²) / (n + d + 1 + sigma²).
double gradient_step_loss(const RegressionTask& task, double lambda);
double best_lambda(const RegressionTask& task);
/// The same of every data set; exact over x and its noise. The second is the form that
/// RegressionLoss has, with the posterior mean `ridge` in place of W*: equal in the mean over data
/// sets.
std::vector<double> gradient_step_losses(const RegressionSample& sample, double lambda);
std::vector<double> gradient_step_ridge_losses(const RegressionSample& sample, double lambda);

enum class RegressionForm { kMha, kSkipV1 };

/// The second layer's loss under Assumption 1 (the first copies) as a function of A [a, d],
/// B [d - a, d], W^1, W^2 [d, d] and N^1, N^2 [d, a] with M^h = N^h A, one after the other:
/// C + mean ‖Σ_h W^h G^h M^h - ridge‖², G^1 = S_xx + U Σ U^T, U = diag(A, B), and G^2 the same for
/// multi-head attention, S_xx + (S_yx S_yy) U^T where head 2 reads the first layer's values.
class RegressionLoss {
  public:
    /// `sample` must outlive this.
    RegressionLoss(const RegressionSample& sample, RegressionForm form, int64_t a);

    int64_t size() const;
    double operator()(const std::vector<double>& x, std::vector<double>& gradient) const;
    /// Of every data set; operator() is their mean.
    std::vector<double> losses(const std::vector<double>& x) const;
    /// For a = d: A = I, W^1 = -λ I / 2, W^2 = λ I, N = I, which is ŷ = λ Y X^T x of SkipV1Former.
    std::vector<double> gradient_step(double lambda) const;

  private:
    const RegressionSample& sample_;
    RegressionForm form_;
    int64_t a_;
};

}  // namespace headroom
