#pragma once

#include <cmath>
#include <cstdint>

#include "core/cpu/vector_math.h"

namespace headroom {

/// Turns a row of scores into probabilities; returns their log-sum-exp. Not inlined: keeps the
/// reductions vectorised.
template <class A>
[[gnu::noinline]] A softmax_row(A* row, int64_t count) {
    A most = row[0];
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < count; ++j) most = row[j] > most ? row[j] : most;
    A sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < count; ++j) {
        row[j] = vmath::exp(row[j] - most);
        sum += row[j];
    }
    const A factor = A{1} / sum;
#pragma omp simd
    for (int64_t j = 0; j < count; ++j) row[j] *= factor;
    return most + std::log(sum);
}

}  // namespace headroom
