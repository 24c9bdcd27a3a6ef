#include "core/linalg/matrix.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/cpu/gemm.h"

namespace headroom {

namespace {

Matrix multiply(const Matrix& a, bool a_transposed, const Matrix& b, bool b_transposed) {
    const int64_t m = a_transposed ? a.cols : a.rows, k = a_transposed ? a.rows : a.cols;
    const int64_t n = b_transposed ? b.rows : b.cols;
    CHECK(k == (b_transposed ? b.cols : b.rows), "matrices that do not fit together");
    Matrix c(m, n);
    const GemmShape shape{.m = m,
                          .n = n,
                          .k = k,
                          .a_transposed = a_transposed,
                          .b_transposed = b_transposed,
                          .lda = a.cols,
                          .ldb = b.cols,
                          .ldc = n};
    gemm(shape, a.values.data(), b.values.data(), c.values.data());
    return c;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
    return multiply(a, false, b, false);
}

Matrix transposed_product(const Matrix& a, const Matrix& b) {
    return multiply(a, true, b, false);
}

Matrix product_transposed(const Matrix& a, const Matrix& b) {
    return multiply(a, false, b, true);
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

Matrix transposed(const Matrix& a) {
    constexpr int64_t kTile = 32;  // both sides stay in the cache
    Matrix result(a.cols, a.rows);
    for (int64_t i0 = 0; i0 < a.rows; i0 += kTile)
        for (int64_t j0 = 0; j0 < a.cols; j0 += kTile)
            for (int64_t i = i0; i < std::min(a.rows, i0 + kTile); ++i)
                for (int64_t j = j0; j < std::min(a.cols, j0 + kTile); ++j)
                    result.at(j, i) = a.at(i, j);
    return result;
}

Matrix identity_matrix(int64_t n) {
    Matrix result(n, n);
    for (int64_t i = 0; i < n; ++i) result.at(i, i) = 1;
    return result;
}

}  // namespace headroom
