#include "core/linalg/lu.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/linalg/condition.h"
#include "core/linalg/svd.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

/// Triple loop: what the factors are checked against.
Matrix naive_product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t k = 0; k < a.cols; ++k)
            for (int64_t j = 0; j < b.cols; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
    return c;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.cols, b.cols);
    for (size_t i = 0; i < a.values.size(); ++i)
        ASSERT_NEAR(a.values[i], b.values[i], tolerance) << i;
}

TEST(LuFactors, SolvesPlainAndTransposedSystemsOfEverySizeAroundTheBlock) {
    for (const int64_t n : {1, 2, 7, 63, 64, 65, 130, 200}) {
        const Matrix a = random_matrix(n, n, static_cast<uint32_t>(n));
        const Matrix x = random_matrix(n, 5, 99);
        const LuFactors factors(a);
        Matrix b = naive_product(a, x), turned = naive_product(transposed(a), x);
        factors.solve(b);
        factors.solve_transposed(turned);
        const double tolerance = 1e-13 * condition_number(a);
        expect_near(b, x, tolerance);
        expect_near(turned, x, tolerance);
        expect_near(naive_product(inverse(factors), a), identity_matrix(n), tolerance);
    }
}

TEST(LuFactors, NeedsTheRowsOfAPermutationExchanged) {
    Matrix a(3, 3);
    a.at(0, 1) = a.at(1, 2) = a.at(2, 0) = 1;
    Matrix b(3, 1, {1, 2, 3});
    LuFactors(a).solve(b);
    EXPECT_EQ(b.values, (std::vector<double>{3, 1, 2}));
}

TEST(LuFactors, KnowsASingularMatrixAndRefusesNumbersThatAreNotFinite) {
    Matrix twins(2, 2, {1, 2, 1, 2});
    EXPECT_TRUE(LuFactors(twins).singular());
    twins.at(1, 1) = std::nan("");
    EXPECT_THROW(LuFactors{twins}, UserError);
}

/// Singular values 1 .. 1/condition, spaced evenly in the logarithm, between random rotations.
Matrix with_condition(int64_t n, double condition) {
    const Matrix u = svd(random_matrix(n, n, 3)).u, v = svd(random_matrix(n, n, 4)).u;
    Matrix scaled = u;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            scaled.at(i, j) *=
                std::pow(condition, -static_cast<double>(j) / static_cast<double>(n - 1));
    return product(scaled, v);
}

TEST(ConditionNumber, IsTheRatioOfTheSingularValuesItWasBuiltFrom) {
    for (const int64_t n : {12, 256, 300})
        for (const double condition : {3.0, 1e3, 1e7})
            EXPECT_NEAR(condition_number(with_condition(n, condition)) / condition, 1, 1e-3)
                << n << " " << condition;
}

TEST(ConditionNumber, OfALargeRandomMatrixAgreesWithAllItsSingularValues) {
    const Matrix a = random_matrix(320, 320, 11);
    const std::vector<double> s = singular_values(a);
    EXPECT_NEAR(condition_number(a) * s.back() / s.front(), 1, 1e-3);
}

TEST(ConditionNumber, IsInfiniteWhereTheMatrixIsSingular) {
    EXPECT_EQ(condition_number(Matrix(2, 2, {1, 2, 1, 2})),
              std::numeric_limits<double>::infinity());
    EXPECT_EQ(condition_number(Matrix(300, 300)), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace headroom
