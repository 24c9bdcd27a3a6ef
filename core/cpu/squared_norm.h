#pragma once

#include <cstdint>

namespace headroom {

/// Doubles of scratch that squared_norm of so many numbers needs.
int64_t squared_norm_scratch(int64_t count);

/// The sum of count squared numbers, float or double, with all threads. Sums in double over pieces
/// of fixed length, so that the result does not depend on the number of threads.
template <class T>
double squared_norm(const T* x, int64_t count, double* scratch);

}  // namespace headroom
