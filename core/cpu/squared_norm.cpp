#include "core/cpu/squared_norm.h"

#include <algorithm>

#include "core/cpu/parallel.h"

namespace headroom {
namespace {

constexpr int64_t kNormPiece = 16384;  // numbers summed in one go

/// In four parts, whose sums do not wait for each other.
template <class T>
double sum_of_squares(const T* x, int64_t count) {
    const int64_t quarter = count / 4;
    const T *x1 = x + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
    const auto square = [](T number) __attribute__((always_inline)) {
        return static_cast<double>(number) * static_cast<double>(number);
    };
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t i = 0; i < quarter; ++i) {
        s0 += square(x[i]);
        s1 += square(x1[i]);
        s2 += square(x2[i]);
        s3 += square(x3[i]);
    }
    double sum = (s0 + s1) + (s2 + s3);
    for (int64_t i = 4 * quarter; i < count; ++i) sum += square(x[i]);
    return sum;
}

}  // namespace

int64_t squared_norm_scratch(int64_t count) {
    return (count + kNormPiece - 1) / kNormPiece;
}

template <class T>
double squared_norm(const T* x, int64_t count, double* scratch) {
    const int64_t pieces = squared_norm_scratch(count);
    parallel_for(pieces, 4, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
            scratch[p] =
                sum_of_squares(x + p * kNormPiece, std::min(kNormPiece, count - p * kNormPiece));
    });
    double sum = 0;
    for (int64_t p = 0; p < pieces; ++p) sum += scratch[p];
    return sum;
}

template double squared_norm(const float*, int64_t, double*);
template double squared_norm(const double*, int64_t, double*);

}  // namespace headroom
