#include "core/surgery/stream_basis.h"

#include <algorithm>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Rows or columns that change their basis at a time, in place: what a large embedding needs beside
/// itself stays small.
constexpr int64_t kAtATime = 4096;

}  // namespace

const LuFactors& StreamBasis::factors() const {
    if (!factors_) factors_.emplace(w_);
    if (factors_->singular())
        throw UserError("a matrix to invert is singular", "take another matrix or checkpoint");
    return *factors_;
}

Matrix StreamBasis::left(bool inverse, Matrix x) const {
    CHECK(x.rows == w_.rows, "a matrix that reads the stream has its width as rows");
    if (inverse && form_.transposed) factors().solve_transposed(x);
    if (inverse && !form_.transposed) factors().solve(x);
    if (inverse) return x;
    for (int64_t begin = 0; begin < x.cols; begin += kAtATime) {
        Matrix part(x.rows, std::min(kAtATime, x.cols - begin));
        const auto at = [&](int64_t row) { return x.values.begin() + row * x.cols + begin; };
        for (int64_t row = 0; row < x.rows; ++row)
            std::copy_n(at(row), part.cols, part.values.begin() + row * part.cols);
        part = form_.transposed ? transposed_product(w_, part) : product(w_, part);
        for (int64_t row = 0; row < x.rows; ++row)
            std::copy_n(part.values.begin() + row * part.cols, part.cols, at(row));
    }
    return x;
}

Matrix StreamBasis::rows_as_writer(const Matrix& rows) const {
    if (!form_.inverse) return form_.transposed ? product_transposed(rows, w_) : product(rows, w_);
    Matrix columns = headroom::transposed(rows);  // Y = X A^-1 is Y^T = A^-T X^T
    if (form_.transposed)
        factors().solve(columns);
    else
        factors().solve_transposed(columns);
    return headroom::transposed(columns);
}

Matrix StreamBasis::as_writer(Matrix w) const {
    CHECK(w.cols == w_.rows, "a matrix that writes to the stream has its width as columns");
    for (int64_t begin = 0; begin < w.rows; begin += kAtATime) {
        const int64_t rows = std::min(kAtATime, w.rows - begin);
        const auto first = w.values.begin() + begin * w.cols;
        const Matrix made =
            rows_as_writer(Matrix(rows, w.cols, std::vector<double>(first, first + rows * w.cols)));
        std::copy(made.values.begin(), made.values.end(), first);
    }
    return w;
}

}  // namespace headroom
