#include "core/lab/linear_fit.h"

#include "core/cpu/gemm.h"
#include "core/linalg/lu.h"

namespace headroom {

LinearFit::LinearFit(int64_t d_in, int64_t d_out) : xx_(d_in, d_in), xy_(d_in, d_out) {}

void LinearFit::add(const std::vector<float>& x, const std::vector<float>& y) {
    // Products of a batch in float32, sums over batches in float64.
    const int64_t n = std::ssize(x) / xx_.rows;
    const auto accumulate = [&](const std::vector<float>& right, Matrix& sum) {
        std::vector<float> part(sum.values.size());
        const GemmShape shape{.m = sum.rows,
                              .n = sum.cols,
                              .k = n,
                              .a_transposed = true,
                              .lda = sum.rows,
                              .ldb = sum.cols,
                              .ldc = sum.cols};
        gemm(shape, x.data(), right.data(), part.data());
        for (size_t i = 0; i < part.size(); ++i) sum.values[i] += part[i];
    };
    accumulate(x, xx_);
    accumulate(y, xy_);
}

Matrix LinearFit::solve(double ridge) const {
    Matrix left = xx_, right = xy_;
    for (int64_t i = 0; i < left.rows; ++i) left.at(i, i) += ridge;
    LuFactors(std::move(left)).solve(right);
    return right;
}

std::vector<float> linear_map(const Matrix& a, const std::vector<float>& x) {
    const std::vector<float> weights(a.values.begin(), a.values.end());
    const int64_t n = std::ssize(x) / a.rows;
    std::vector<float> y(static_cast<size_t>(n * a.cols));
    const GemmShape shape{
        .m = n, .n = a.cols, .k = a.rows, .lda = a.rows, .ldb = a.cols, .ldc = a.cols};
    gemm(shape, x.data(), weights.data(), y.data());
    return y;
}

}  // namespace headroom
