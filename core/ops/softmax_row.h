#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// The largest of scores, NaN left out.
template <class A>
[[gnu::always_inline]] inline A largest_score(const A* scores, int64_t count) {
    constexpr A kNone = -std::numeric_limits<A>::infinity();
    Vector<A> lanes = Vector<A>{} + kNone;
    int64_t j = 0;
    for (; j + kLanes<A> <= count; j += kLanes<A>) {
        const Vector<A> v = load_vector(scores + j);
        lanes = v > lanes ? v : lanes;
    }
    A most = greatest_of_lanes<A>(lanes);
    for (; j < count; ++j) most = scores[j] > most ? scores[j] : most;
    return most;
}

/// exponentials_j = e^(scale scores_j - most), most the largest of scale scores_j, scale above 0.
/// The scores are subtracted before they are scaled: the largest has the exponent 0 whatever their
/// size, where scale scores_j - most would be what rounding `most` left. E is A, or a type that
/// rounds it; the exponentials may lie where the scores do. Sums are formed in vectors by name: the
/// compiler would add their lanes one after the other.
template <class A, class E>
[[gnu::noinline]] SoftmaxRow<A> softmax_row(const A* scores, int64_t count, A scale,
                                            E* exponentials) {
    const A most = largest_score(scores, count);
    constexpr int64_t kBlock = 256;
    alignas(64) A block[kBlock];
    Vector<A> lanes{};
    A sum = 0;
    for (int64_t first = 0; first < count; first += kBlock) {
        const int64_t rest = std::min(kBlock, count - first);
        A* e = block;
        if constexpr (std::is_same_v<A, E>) e = exponentials + first;
#pragma omp simd
        for (int64_t j = 0; j < rest; ++j) e[j] = vmath::exp(scale * (scores[first + j] - most));
        int64_t j = 0;
        for (; j + kLanes<A> <= rest; j += kLanes<A>) {
            const Vector<A> v = load_vector(e + j);
            lanes += v;
            if constexpr (!std::is_same_v<A, E>) store_vector_rounded(exponentials + first + j, v);
        }
        for (; j < rest; ++j) {
            sum += e[j];
            if constexpr (!std::is_same_v<A, E>) exponentials[first + j] = e[j];
        }
    }
    return {scale * most, sum_of_lanes<A>(lanes) + sum};
}

}  // namespace headroom
