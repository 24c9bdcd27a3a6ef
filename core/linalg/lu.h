#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// P A = L U with row exchanges: blocked and right-looking (Golub & Van Loan, "Matrix
/// computations", section 3.4), its large parts matrix products. In double precision; 2/3 n^3
/// operations once, 2 n^2 per column that is solved for.
class LuFactors {
  public:
    /// REQUIRES: `a` is square. UserError if a number is not finite.
    explicit LuFactors(Matrix a);

    int64_t size() const { return lu_.rows; }
    /// A pivot is exactly 0: nothing below may be called then.
    bool singular() const { return singular_; }

    /// b [n, m] becomes A^-1 b.
    void solve(Matrix& b) const;
    /// b [n, m] becomes A^-T b.
    void solve_transposed(Matrix& b) const;

  private:
    void factor_panel(int64_t begin, int64_t end);
    void swap_rows(int64_t i, int64_t j);
    void update_right_of(int64_t begin, int64_t end);

    Matrix lu_;                   ///< L below the diagonal, whose own is 1, and U
    std::vector<int64_t> pivot_;  ///< step i exchanged rows i and pivot_[i]
    bool singular_ = false;
};

/// A^-1. REQUIRES: the factors are not singular.
Matrix inverse(const LuFactors& factors);

}  // namespace headroom
