#pragma once

#include <cstdint>
#include <vector>

#include "core/absorb/mlp.h"
#include "core/linalg/pivoted_cholesky.h"

namespace headroom {

/// The normal equations of Σ c_i up_i ⊗ down_i = -skip, scaled to a diagonal of ones. Neurons with
/// a row or column of zeros take no part: their c is 0.
class SkipSystem {
  public:
    /// REQUIRES: mlp.skip is there.
    explicit SkipSystem(const Mlp& mlp);

    int64_t rank() const { return factor_.rank(); }
    /// Neurons whose rank-one matrix depends on the others.
    int64_t nullity() const { return std::ssize(active_) - rank(); }
    double smallest_pivot() const { return factor_.smallest_pivot(); }
    /// Rows of `up` non-zero and pairwise non-collinear, rows of `down` non-zero.
    bool assumptions() const { return assumptions_; }

    /// One least-squares solution, 0 on dependent neurons; [f].
    std::vector<double> solve() const;
    /// Every solution whose dependent neurons are 0 or 1, rounded, to `visit`, until it returns
    /// true. REQUIRES: nullity() < 63.
    template <class Visit>
    bool any_choice(Visit&& visit) const {
        for (uint64_t choice = 0; choice < uint64_t{1} << nullity(); ++choice)
            if (visit(rounded_choice(choice))) return true;
        return false;
    }

  private:
    std::vector<double> rounded_choice(uint64_t choice) const;

    int64_t f_;
    std::vector<int64_t> active_;  ///< neurons that are not zero
    std::vector<double> scale_;    ///< ‖up_i‖ ‖down_i‖ of the active ones
    bool assumptions_ = true;
    PivotedCholesky factor_;
    std::vector<double> right_;
    std::vector<std::vector<double>> dependence_;
};

/// ‖Σ c_i up_i ⊗ down_i + skip‖_F, summed in blocks of rows.
double skip_residual(const Mlp& mlp, const std::vector<double>& c);

double frobenius(const Matrix& m);

}  // namespace headroom
