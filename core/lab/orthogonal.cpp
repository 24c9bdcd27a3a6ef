#include "core/lab/orthogonal.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

constexpr int kSteps = 5;
constexpr float kLinear = 3.4445f, kCubic = -4.7750f, kQuintic = 2.0315f;

double frobenius_norm(const std::vector<float>& matrix) {
    double squares = 0;
    for (const float x : matrix) squares += static_cast<double>(x) * x;
    return std::sqrt(squares);
}

}  // namespace

// X <- a X + (b A + c A A) X with A = X X^T, or X (b A + c A A) with A = X^T X for tall matrices:
// every singular value s becomes a s + b s^3 + c s^5.
std::vector<float> orthogonalized(std::vector<float> matrix, int64_t rows, int64_t cols) {
    CHECK(std::ssize(matrix) == rows * cols, "a matrix of that shape");
    const auto norm = static_cast<float>(frobenius_norm(matrix));
    if (norm == 0) return matrix;
    for (float& x : matrix) x /= norm;
    const bool tall = rows > cols;
    const int64_t n = std::min(rows, cols), longer = std::max(rows, cols);
    std::vector<float> a(static_cast<size_t>(n * n)), square(a.size()), moved(matrix.size());
    for (int step = 0; step < kSteps; ++step) {
        gemm({n, n, longer, tall, !tall, cols, cols, n, false}, matrix.data(), matrix.data(),
             a.data());
        gemm({n, n, n, false, false, n, n, n, false}, a.data(), a.data(), square.data());
        for (size_t i = 0; i < a.size(); ++i) a[i] = kCubic * a[i] + kQuintic * square[i];
        const GemmShape apply{rows, cols, n, false, false, tall ? cols : n, cols, cols, false};
        tall ? gemm(apply, matrix.data(), a.data(), moved.data())
             : gemm(apply, a.data(), matrix.data(), moved.data());
        for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = kLinear * matrix[i] + moved[i];
    }
    return matrix;
}

}  // namespace headroom
