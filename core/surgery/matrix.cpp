#include "core/surgery/matrix.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/cpu/gemm.h"

namespace headroom {

Matrix product(const Matrix& a, const Matrix& b) {
    CHECK(a.cols == b.rows, "matrices that do not fit together");
    Matrix c(a.rows, b.cols);
    const GemmShape shape{
        .m = a.rows, .n = b.cols, .k = a.cols, .lda = a.cols, .ldb = b.cols, .ldc = b.cols};
    gemm(shape, a.values.data(), b.values.data(), c.values.data());
    return c;
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
