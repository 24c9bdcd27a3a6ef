#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// P^T G P = L L^T of a symmetric positive semidefinite matrix, the largest remaining diagonal
/// first (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 10.3), stopped where
/// it is at most `tolerance` times the largest of G: the rank to that tolerance.
class PivotedCholesky {
  public:
    PivotedCholesky(Matrix g, double tolerance);

    int64_t size() const { return l_.rows; }
    int64_t rank() const { return rank_; }
    /// Rows of G in the order of their pivots; the first rank() are independent.
    const std::vector<int64_t>& order() const { return order_; }
    /// Smallest pivot over the largest; 0 for a matrix of zeros.
    double smallest_pivot() const { return smallest_pivot_; }

    /// x with G x = b on the independent rows and x = 0 on the others.
    std::vector<double> solve(const std::vector<double>& b) const;
    /// For dependent row order()[rank() + k]: its coordinates in the independent ones, [rank()].
    std::vector<double> dependence(int64_t k) const;

  private:
    void factor();
    void swap(int64_t a, int64_t b);
    std::vector<double> back_substituted(std::vector<double> y) const;

    Matrix l_;  ///< the factor in the lower triangle of the first rank() columns, rows in order
    double tolerance_;
    int64_t rank_ = 0;
    double smallest_pivot_ = 0;
    std::vector<int64_t> order_;
};

}  // namespace headroom
