#pragma once

#include <cstdint>

#include "core/cpu/vector_math.h"

namespace headroom {

/// Of a row of scores: probabilities are what softmax_row left, over `sum`; the log-sum-exp is
/// most + log sum.
template <class A>
struct SoftmaxRow {
    A most, sum;
};

/// exponentials_j = e^(scale scores_j - most), most the largest of scale scores_j. E is A, or a
/// type that rounds it; the exponentials may lie where the scores do. Not inlined: keeps the
/// reductions vectorised.
template <class A, class E>
[[gnu::noinline]] SoftmaxRow<A> softmax_row(const A* scores, int64_t count, A scale,
                                            E* exponentials) {
    A most = scale * scores[0];
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < count; ++j) {
        const A score = scale * scores[j];
        most = score > most ? score : most;
    }
    A sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < count; ++j) {
        const A e = vmath::exp(scale * scores[j] - most);
        exponentials[j] = e;
        sum += e;
    }
    return {most, sum};
}

}  // namespace headroom
