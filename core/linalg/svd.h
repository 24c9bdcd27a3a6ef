#pragma once

#include <string>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// a = u diag(s) vt with k = min(rows, cols): u [rows, k], s [k] falling, vt [k, cols].
struct Svd {
    Matrix u;
    std::vector<double> s;
    Matrix vt;
};

/// LAPACK's divide and conquer (dgesdd) out of OpenBLAS where that is installed, else svd_jacobi.
/// UserError if a number is not finite.
Svd svd(const Matrix& a);

/// The s of svd() alone, in a fraction of the time.
std::vector<double> singular_values(const Matrix& a);

/// One-sided Jacobi rotations (Hestenes 1958): slow, accurate, needs no library. Vectors of
/// singular values that are 0 are 0.
Svd svd_jacobi(const Matrix& a);

/// "LAPACK dgesdd of OpenBLAS" or "one-sided Jacobi": what svd() uses on this machine.
std::string svd_name();

}  // namespace headroom
