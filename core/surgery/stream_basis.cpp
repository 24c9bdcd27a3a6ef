#include "core/surgery/stream_basis.h"

#include <algorithm>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Rows that are solved for at a time: what a large embedding needs beside itself stays small.
constexpr int64_t kRowsAtATime = 4096;

}  // namespace

const LuFactors& StreamBasis::factors() const {
    if (!factors_) factors_.emplace(w_);
    if (factors_->singular())
        throw UserError("a matrix to invert is singular", "take another matrix or checkpoint");
    return *factors_;
}

Matrix StreamBasis::left(bool inverse, Matrix x) const {
    CHECK(x.rows == w_.rows, "a matrix that reads the stream has its width as rows");
    if (!inverse) return form_.transposed ? transposed_product(w_, x) : product(w_, x);
    if (form_.transposed)
        factors().solve_transposed(x);
    else
        factors().solve(x);
    return x;
}

Matrix StreamBasis::as_writer(const Matrix& w) const {
    CHECK(w.cols == w_.rows, "a matrix that writes to the stream has its width as columns");
    if (!form_.inverse) return form_.transposed ? product_transposed(w, w_) : product(w, w_);
    Matrix result(w.rows, w.cols);
    for (int64_t begin = 0; begin < w.rows; begin += kRowsAtATime) {
        const int64_t rows = std::min(kRowsAtATime, w.rows - begin);
        const auto first = w.values.begin() + begin * w.cols;
        // Y = X A^-1 is Y^T = A^-T X^T.
        Matrix columns = headroom::transposed(
            Matrix(rows, w.cols, std::vector<double>(first, first + rows * w.cols)));
        if (form_.transposed)
            factors().solve(columns);
        else
            factors().solve_transposed(columns);
        const Matrix solved = headroom::transposed(columns);
        std::copy(solved.values.begin(), solved.values.end(),
                  result.values.begin() + begin * w.cols);
    }
    return result;
}

}  // namespace headroom
