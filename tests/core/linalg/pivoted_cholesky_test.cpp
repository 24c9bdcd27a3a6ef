#include "core/linalg/pivoted_cholesky.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

/// a a^T by loops.
Matrix gram_of(const Matrix& a) {
    Matrix g(a.rows, a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.rows; ++j)
            for (int64_t k = 0; k < a.cols; ++k) g.at(i, j) += a.at(i, k) * a.at(j, k);
    return g;
}

TEST(PivotedCholesky, SolvesAcrossPanels) {
    const int64_t n = 150;  // two panels of 64 and a rest
    const Matrix g = gram_of(random_matrix(n, n + 40, 1));
    const std::vector<double> expected = random_matrix(1, n, 2).values;
    std::vector<double> b(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            b[static_cast<size_t>(i)] += g.at(i, j) * expected[static_cast<size_t>(j)];
    const PivotedCholesky factor(g, 1e-12);
    EXPECT_EQ(factor.rank(), n);
    const std::vector<double> x = factor.solve(b);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-9);
}

TEST(PivotedCholesky, FindsTheRankAndHowTheRestDepends) {
    const int64_t n = 100, rank = 70;
    const Matrix g = gram_of(random_matrix(n, rank, 3));
    const PivotedCholesky factor(g, 1e-11);
    ASSERT_EQ(factor.rank(), rank);
    EXPECT_GT(factor.smallest_pivot(), 1e-11);
    for (const int64_t k : {int64_t{0}, n - rank - 1}) {
        const std::vector<double> r = factor.dependence(k);
        const int64_t dependent = factor.order()[static_cast<size_t>(rank + k)];
        for (int64_t row = 0; row < n; ++row) {
            double sum = 0;
            for (size_t i = 0; i < r.size(); ++i) sum += g.at(row, factor.order()[i]) * r[i];
            EXPECT_NEAR(sum, g.at(row, dependent), 1e-8);
        }
    }
}

}  // namespace
}  // namespace headroom
