#include "core/linalg/lu.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

constexpr int64_t kBlock = 64;

/// y += factor x.
void add_scaled(double* y, double factor, const double* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

std::vector<double> negated(const double* from, int64_t count) {
    std::vector<double> result(static_cast<size_t>(count));
    std::transform(from, from + count, result.begin(), [](double x) { return -x; });
    return result;
}

double* row_of(Matrix& m, int64_t row) {
    return &m.values[static_cast<size_t>(row * m.cols)];
}
const double* row_of(const Matrix& m, int64_t row) {
    return &m.values[static_cast<size_t>(row * m.cols)];
}

void exchange(Matrix& b, int64_t i, int64_t j) {
    if (i != j) std::swap_ranges(row_of(b, i), row_of(b, i) + b.cols, row_of(b, j));
}

/// Rows [to, to + rows) of b lose M times rows [begin, end) of b, where M is the block of `a` whose
/// first number is `at`, or its transpose.
struct Elimination {
    const double* at;
    bool transposed;
    int64_t to, rows, begin, end;
};

void eliminate(const Matrix& a, const Elimination& e, Matrix& b) {
    if (e.rows == 0) return;
    const std::vector<double> solved = negated(row_of(b, e.begin), (e.end - e.begin) * b.cols);
    const GemmShape shape{.m = e.rows,
                          .n = b.cols,
                          .k = e.end - e.begin,
                          .a_transposed = e.transposed,
                          .lda = a.cols,
                          .ldb = b.cols,
                          .ldc = b.cols,
                          .accumulate = true};
    gemm(shape, e.at, solved.data(), row_of(b, e.to));
}

/// Which triangle of the factors is meant: L with a diagonal of ones or U, or its transpose.
struct Triangle {
    bool upper, transposed;
    double at(const Matrix& lu, int64_t i, int64_t j) const {
        return transposed ? lu.at(j, i) : lu.at(i, j);
    }
};

/// Solves with a lower triangle (L or U^T), downwards.
void solve_down(const Matrix& lu, Triangle t, Matrix& b) {
    const int64_t n = lu.rows;
    for (int64_t begin = 0; begin < n; begin += kBlock) {
        const int64_t end = std::min(n, begin + kBlock);
        for (int64_t i = begin; i < end; ++i) {
            for (int64_t j = begin; j < i; ++j)
                add_scaled(row_of(b, i), -t.at(lu, i, j), row_of(b, j), b.cols);
            if (t.upper)
                std::for_each(row_of(b, i), row_of(b, i) + b.cols,
                              [&](double& x) { x /= lu.at(i, i); });
        }
        if (end == n) break;
        const double* at = t.transposed ? row_of(lu, begin) + end : row_of(lu, end) + begin;
        eliminate(lu, {at, t.transposed, end, n - end, begin, end}, b);
    }
}

/// Solves with an upper triangle (U or L^T), upwards.
void solve_up(const Matrix& lu, Triangle t, Matrix& b) {
    const int64_t n = lu.rows;
    for (int64_t end = n; end > 0; end = (end - 1) / kBlock * kBlock) {
        const int64_t begin = (end - 1) / kBlock * kBlock;
        for (int64_t i = end - 1; i >= begin; --i) {
            for (int64_t j = i + 1; j < end; ++j)
                add_scaled(row_of(b, i), -t.at(lu, i, j), row_of(b, j), b.cols);
            if (t.upper)
                std::for_each(row_of(b, i), row_of(b, i) + b.cols,
                              [&](double& x) { x /= lu.at(i, i); });
        }
        const double* at = t.transposed ? row_of(lu, begin) : lu.values.data() + begin;
        eliminate(lu, {at, t.transposed, 0, begin, begin, end}, b);
    }
}

}  // namespace

LuFactors::LuFactors(Matrix a) : lu_(std::move(a)), pivot_(static_cast<size_t>(lu_.rows)) {
    CHECK(lu_.rows == lu_.cols, "only a square matrix has such factors");
    if (!std::all_of(lu_.values.begin(), lu_.values.end(),
                     [](double x) { return std::isfinite(x); }))
        throw UserError("a matrix to invert has numbers that are not finite",
                        "take a checkpoint from before the run diverged");
    for (int64_t begin = 0; begin < lu_.rows; begin += kBlock) {
        const int64_t end = std::min(lu_.rows, begin + kBlock);
        factor_panel(begin, end);
        if (end < lu_.rows) update_right_of(begin, end);
    }
}

void LuFactors::swap_rows(int64_t i, int64_t j) {
    exchange(lu_, i, j);
}

/// Columns [begin, end) of all rows from `begin` on; rows are exchanged in full.
void LuFactors::factor_panel(int64_t begin, int64_t end) {
    const int64_t n = lu_.rows;
    for (int64_t j = begin; j < end; ++j) {
        int64_t largest = j;
        for (int64_t i = j + 1; i < n; ++i)
            if (std::abs(lu_.at(i, j)) > std::abs(lu_.at(largest, j))) largest = i;
        pivot_[static_cast<size_t>(j)] = largest;
        swap_rows(j, largest);
        if (lu_.at(j, j) == 0) {
            singular_ = true;
            continue;
        }
        for (int64_t i = j + 1; i < n; ++i) {
            double* row = row_of(lu_, i);
            row[j] /= lu_.at(j, j);
            add_scaled(row + j + 1, -row[j], row_of(lu_, j) + j + 1, end - j - 1);
        }
    }
}

/// The rows of U beside the panel, then the rest of the matrix below them.
void LuFactors::update_right_of(int64_t begin, int64_t end) {
    const int64_t n = lu_.rows, width = n - end;
    for (int64_t i = begin; i < end; ++i)
        for (int64_t j = begin; j < i; ++j)
            add_scaled(row_of(lu_, i) + end, -lu_.at(i, j), row_of(lu_, j) + end, width);
    std::vector<double> right;
    right.reserve(static_cast<size_t>((end - begin) * width));
    for (int64_t i = begin; i < end; ++i)
        for (int64_t j = end; j < n; ++j) right.push_back(-lu_.at(i, j));
    const GemmShape shape{.m = n - end,
                          .n = width,
                          .k = end - begin,
                          .lda = n,
                          .ldb = width,
                          .ldc = n,
                          .accumulate = true};
    gemm(shape, row_of(lu_, end) + begin, right.data(), row_of(lu_, end) + end);
}

void LuFactors::solve(Matrix& b) const {
    CHECK(!singular_ && b.rows == size(), "rows as many as the matrix, which is invertible");
    for (int64_t i = 0; i < size(); ++i) exchange(b, i, pivot_[static_cast<size_t>(i)]);
    solve_down(lu_, {false, false}, b);
    solve_up(lu_, {true, false}, b);
}

/// A^T = U^T L^T P.
void LuFactors::solve_transposed(Matrix& b) const {
    CHECK(!singular_ && b.rows == size(), "rows as many as the matrix, which is invertible");
    solve_down(lu_, {true, true}, b);
    solve_up(lu_, {false, true}, b);
    for (int64_t i = size() - 1; i >= 0; --i) exchange(b, i, pivot_[static_cast<size_t>(i)]);
}

Matrix inverse(const LuFactors& factors) {
    Matrix result = identity_matrix(factors.size());
    factors.solve(result);
    return result;
}

}  // namespace headroom
