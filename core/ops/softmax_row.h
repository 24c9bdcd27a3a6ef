#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/cpu/store_each.h"
#include "core/cpu/vector_math.h"

namespace headroom {

/// Of a row of scores: probabilities are what softmax_row left, over `sum`; the log-sum-exp is
/// most + log sum.
template <class A>
struct SoftmaxRow {
    A most, sum;
};

/// exponentials_j = e^(scale scores_j - most), most the largest of scale scores_j, scale above 0.
/// The scores are subtracted before they are scaled: the largest has the exponent 0 whatever their
/// size, where scale scores_j - most would be what rounding `most` left. E is A, or a type that
/// rounds it; the exponentials may lie where the scores do. Not inlined: keeps the reductions
/// vectorised.
template <class A, class E>
[[gnu::noinline]] SoftmaxRow<A> softmax_row(const A* scores, int64_t count, A scale,
                                            E* exponentials) {
    A most = scores[0];
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < count; ++j) most = scores[j] > most ? scores[j] : most;
    constexpr int64_t kBlock = 256;
    alignas(64) A block[kBlock];
    A sum = 0;
    for (int64_t first = 0; first < count; first += kBlock) {
        const int64_t rest = std::min(kBlock, count - first);
        A* e = block;
        if constexpr (std::is_same_v<A, E>) e = exponentials + first;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < rest; ++j) {
            e[j] = vmath::exp(scale * (scores[first + j] - most));
            sum += e[j];
        }
        if constexpr (!std::is_same_v<A, E>) store_rounded(e, rest, exponentials + first);
    }
    return {scale * most, sum};
}

}  // namespace headroom
