#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// Independent N(0, deviation²) numbers that follow from (seed, name) alone, with any number of
/// threads; row-major. Rows of a longer list begin with those of a shorter one.
Matrix normal_matrix(const std::string& name, uint64_t seed, int64_t rows, int64_t cols,
                     double deviation = 1);
std::vector<float> normal_floats(const std::string& name, uint64_t seed, int64_t rows, int64_t cols,
                                 double deviation = 1);

}  // namespace headroom
