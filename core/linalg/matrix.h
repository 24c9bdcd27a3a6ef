#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headroom {

/// A matrix of a surgery: double precision, row-major. A bias is a matrix of one row, an absent one
/// of none.
struct Matrix {
    int64_t rows = 0, cols = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(int64_t n_row, int64_t n_col)
        : rows(n_row), cols(n_col), values(static_cast<size_t>(n_row * n_col)) {}
    Matrix(int64_t n_row, int64_t n_col, std::vector<double> numbers)
        : rows(n_row), cols(n_col), values(std::move(numbers)) {}

    bool empty() const { return values.empty(); }
    double& at(int64_t row, int64_t col) { return values[static_cast<size_t>(row * cols + col)]; }
    double at(int64_t row, int64_t col) const {
        return values[static_cast<size_t>(row * cols + col)];
    }
};

/// a b. REQUIRES: a.cols == b.rows.
Matrix product(const Matrix& a, const Matrix& b);
/// a^T b. REQUIRES: a.rows == b.rows.
Matrix transposed_product(const Matrix& a, const Matrix& b);
/// a b^T. REQUIRES: a.cols == b.cols.
Matrix product_transposed(const Matrix& a, const Matrix& b);
/// The sum of x_i y_i in order. REQUIRES: equal lengths.
double dot(const std::vector<double>& x, const std::vector<double>& y);
Matrix transposed(const Matrix& a);
Matrix identity_matrix(int64_t n);

}  // namespace headroom
