#pragma once

#include <cstdint>

#include "core/linalg/matrix.h"

namespace headroom {

/// Numbers in [-1, 1) that follow from the seed.
inline Matrix random_matrix(int64_t rows, int64_t cols, uint32_t seed) {
    Matrix m(rows, cols);
    uint32_t state = seed * 2654435761u + 12345;
    for (double& value : m.values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<double>(state >> 8) / (1 << 23) - 1;
    }
    return m;
}

}  // namespace headroom
