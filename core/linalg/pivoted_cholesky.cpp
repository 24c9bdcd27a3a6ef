#include "core/linalg/pivoted_cholesky.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

constexpr int64_t kPanel = 64;  ///< columns that are made before the rest is updated by a product

}  // namespace

PivotedCholesky::PivotedCholesky(Matrix g, double tolerance)
    : l_(std::move(g)), tolerance_(tolerance), order_(static_cast<size_t>(l_.rows)) {
    CHECK(l_.rows == l_.cols, "a Gram matrix is square");
    std::iota(order_.begin(), order_.end(), int64_t{0});
    factor();
}

void PivotedCholesky::swap(int64_t a, int64_t b) {
    if (a == b) return;
    std::swap(order_[static_cast<size_t>(a)], order_[static_cast<size_t>(b)]);
    const auto row = [&](int64_t i) { return l_.values.begin() + i * l_.cols; };
    std::swap_ranges(row(a), row(a) + l_.cols, row(b));
    for (int64_t i = 0; i < l_.rows; ++i) std::swap(l_.at(i, a), l_.at(i, b));
}

/// Right-looking by panels: inside a panel a column is updated by the panel's earlier columns
/// alone, `diagonal` holds what is left of the diagonal, and the rest follows by one product.
void PivotedCholesky::factor() {
    const int64_t n = l_.rows;
    std::vector<double> diagonal(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) diagonal[static_cast<size_t>(i)] = l_.at(i, i);
    double largest = 0;
    for (int64_t first = 0; first < n; first += kPanel) {
        const int64_t last = std::min(n, first + kPanel);
        for (int64_t j = first; j < last; ++j) {
            const auto pivot =
                std::max_element(diagonal.begin() + j, diagonal.end()) - diagonal.begin();
            const double value = diagonal[static_cast<size_t>(pivot)];
            if (j == 0) largest = value;
            if (!(value > tolerance_ * largest) || value <= 0) return;
            swap(j, pivot);
            std::swap(diagonal[static_cast<size_t>(j)], diagonal[static_cast<size_t>(pivot)]);
            const double root = std::sqrt(value);
            l_.at(j, j) = root;
            parallel_for(n - j - 1, 256, [&](int64_t begin, int64_t end) {
                for (int64_t i = j + 1 + begin; i < j + 1 + end; ++i) {
                    const double* row = &l_.values[static_cast<size_t>(i * n)];
                    const double* top = &l_.values[static_cast<size_t>(j * n)];
                    const double sum = std::inner_product(row + first, row + j, top + first, 0.0);
                    const double x = (row[j] - sum) / root;
                    l_.at(i, j) = x;
                    diagonal[static_cast<size_t>(i)] -= x * x;
                }
            });
            rank_ = j + 1;
            smallest_pivot_ = value / largest;
        }
        if (last == n) return;
        // What is left of G: minus the panel's products.
        Matrix panel(n - last, last - first);
        for (int64_t i = last; i < n; ++i)
            for (int64_t j = first; j < last; ++j) panel.at(i - last, j - first) = -l_.at(i, j);
        const GemmShape shape{.m = n - last,
                              .n = n - last,
                              .k = last - first,
                              .b_transposed = true,
                              .lda = last - first,
                              .ldb = n,
                              .ldc = n,
                              .accumulate = true};
        gemm(shape, panel.values.data(), &l_.values[static_cast<size_t>(last * n + first)],
             &l_.values[static_cast<size_t>(last * n + last)]);
    }
}

/// L^T x = y on the independent rows.
std::vector<double> PivotedCholesky::back_substituted(std::vector<double> y) const {
    for (int64_t i = rank_ - 1; i >= 0; --i) {
        const double x = y[static_cast<size_t>(i)] /= l_.at(i, i);
        for (int64_t j = 0; j < i; ++j) y[static_cast<size_t>(j)] -= l_.at(i, j) * x;
    }
    return y;
}

std::vector<double> PivotedCholesky::solve(const std::vector<double>& b) const {
    std::vector<double> y(static_cast<size_t>(rank_));
    for (int64_t i = 0; i < rank_; ++i) {
        const double* row = &l_.values[static_cast<size_t>(i * l_.cols)];
        const double sum = std::inner_product(row, row + i, y.begin(), 0.0);
        y[static_cast<size_t>(i)] =
            (b[static_cast<size_t>(order_[static_cast<size_t>(i)])] - sum) / l_.at(i, i);
    }
    y = back_substituted(std::move(y));
    std::vector<double> x(order_.size());
    for (size_t i = 0; i < y.size(); ++i) x[static_cast<size_t>(order_[i])] = y[i];
    return x;
}

std::vector<double> PivotedCholesky::dependence(int64_t k) const {
    const double* row = &l_.values[static_cast<size_t>((rank_ + k) * l_.cols)];
    return back_substituted(std::vector<double>(row, row + rank_));
}

}  // namespace headroom
