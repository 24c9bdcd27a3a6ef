#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// Ridge regression y = x A without intercept, its sums taken batch after batch: memory is d_in
/// (d_in + d_out) numbers, whatever the number of samples.
class LinearFit {
  public:
    LinearFit(int64_t d_in, int64_t d_out);

    /// Rows x [n, d_in] and y [n, d_out].
    void add(const std::vector<float>& x, const std::vector<float>& y);
    /// A = (X^T X + ridge I)^-1 X^T Y, [d_in, d_out].
    Matrix solve(double ridge) const;

  private:
    Matrix xx_, xy_;
};

/// x A of rows x.
std::vector<float> linear_map(const Matrix& a, const std::vector<float>& x);

}  // namespace headroom
