#include "core/linalg/svd.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

using Decompose = Svd (*)(const Matrix&);

struct SvdCase {
    const char* name;
    Decompose decompose;
};

class SvdOf : public testing::TestWithParam<SvdCase> {
  protected:
    static Svd of(const Matrix& a) { return GetParam().decompose(a); }
};

/// a = u diag(s) vt, by a triple loop.
void expect_rebuilds(const Matrix& a, const Svd& parts) {
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) {
            double sum = 0;
            for (size_t r = 0; r < parts.s.size(); ++r) {
                const auto k = static_cast<int64_t>(r);
                sum += parts.u.at(i, k) * parts.s[r] * parts.vt.at(k, j);
            }
            EXPECT_NEAR(sum, a.at(i, j), 1e-13 * static_cast<double>(a.rows + a.cols));
        }
}

TEST_P(SvdOf, RebuildsTallWideAndSquareMatricesFromOrthonormalVectors) {
    for (const auto& [rows, cols] : {std::pair{9, 4}, {4, 9}, {7, 7}, {1, 3}, {33, 32}}) {
        const Matrix a = random_matrix(rows, cols, 7);
        const Svd parts = of(a);
        const auto k = static_cast<int64_t>(parts.s.size());
        ASSERT_EQ(k, std::min(rows, cols));
        expect_rebuilds(a, parts);
        for (int64_t p = 0; p < k; ++p)
            for (int64_t q = 0; q < k; ++q) {
                double uu = 0, vv = 0;
                for (int64_t i = 0; i < rows; ++i) uu += parts.u.at(i, p) * parts.u.at(i, q);
                for (int64_t j = 0; j < cols; ++j) vv += parts.vt.at(p, j) * parts.vt.at(q, j);
                EXPECT_NEAR(uu, p == q, 1e-12);
                EXPECT_NEAR(vv, p == q, 1e-12);
            }
        for (size_t r = 1; r < parts.s.size(); ++r) EXPECT_LE(parts.s[r], parts.s[r - 1]);
    }
}

TEST_P(SvdOf, FindsKnownSingularValues) {
    const Svd parts = of(Matrix(2, 2, {3, 0, 4, 5}));  // eigenvalues of a^T a: 45 and 5
    EXPECT_NEAR(parts.s[0], std::sqrt(45.0), 1e-14 * 10);
    EXPECT_NEAR(parts.s[1], std::sqrt(5.0), 1e-14 * 10);
}

TEST_P(SvdOf, TakesMatricesWithoutFullRank) {
    Matrix a(5, 4);
    for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 4; ++j) a.at(i, j) = static_cast<double>((i + 1) * (j - 2));
    const Svd parts = of(a);
    EXPECT_NEAR(parts.s[0], std::sqrt(55.0 * 6.0), 1e-12);
    for (size_t r = 1; r < 4; ++r) EXPECT_NEAR(parts.s[r], 0, 1e-12);
    expect_rebuilds(a, parts);
    EXPECT_NEAR(of(Matrix(3, 3)).s[0], 0, 0);
}

INSTANTIATE_TEST_SUITE_P(Both, SvdOf,
                         testing::Values(SvdCase{"Default", svd}, SvdCase{"Jacobi", svd_jacobi}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Svd, RefusesNumbersThatAreNotFinite) {
    EXPECT_THROW(svd(Matrix(1, 2, {1, std::nan("")})), UserError);
}

TEST(Svd, BothWaysAgreeAtTheSizeOfALayer) {
    const Matrix a = random_matrix(96, 96, 3);
    const Svd one = svd(a), other = svd_jacobi(a);
    for (size_t r = 0; r < one.s.size(); ++r)
        EXPECT_NEAR(one.s[r], other.s[r], 1e-11 * one.s.front());
}

}  // namespace
}  // namespace headroom
