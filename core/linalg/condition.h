#pragma once

#include "core/linalg/lu.h"
#include "core/linalg/matrix.h"

namespace headroom {

/// Largest over smallest singular value of a square matrix; infinite if it is exactly singular. Up
/// to 256 columns from all singular values, beyond that to about four digits by Lanczos iterations
/// on A^T A and, with the factors, on its inverse: n^2 work each instead of n^3.
double condition_number(const Matrix& a, const LuFactors& factors);
double condition_number(const Matrix& a);

}  // namespace headroom
