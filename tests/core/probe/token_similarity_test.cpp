#include "core/probe/token_similarity.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TokenMatrix random_matrix(int64_t rows, int64_t columns, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal(0.3, 1.0);
    TokenMatrix x{rows, columns, {}};
    for (int64_t i = 0; i < rows * columns; ++i) x.values.push_back(normal(generator));
    return x;
}

double cosine_of(std::span<const double> x, std::span<const double> y) {
    double xy = 0, xx = 0, yy = 0;
    for (size_t c = 0; c < x.size(); ++c) {
        xy += x[c] * y[c];
        xx += x[c] * x[c];
        yy += y[c] * y[c];
    }
    return xy / std::sqrt(xx * yy);
}

/// CKA by its other definition, tr(K C L C) / ..., from the Gram matrices of the rows: Kornblith et
/// al. 2019, equations 2 and 3.
double cka_by_grams(const TokenMatrix& x, const TokenMatrix& y) {
    const int64_t n = x.rows;
    const auto gram = [n](const TokenMatrix& m) {
        NumberArray k = NumberArray::unknown({n, n});
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                double dot = 0;
                for (size_t c = 0; c < m.row(i).size(); ++c) dot += m.row(i)[c] * m.row(j)[c];
                k.at({i, j}) = dot;
            }
        NumberArray centred = k;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                double rows = 0, columns = 0, all = 0;
                for (int64_t a = 0; a < n; ++a) {
                    rows += k.at({i, a}) / static_cast<double>(n);
                    columns += k.at({a, j}) / static_cast<double>(n);
                    for (int64_t b = 0; b < n; ++b)
                        all += k.at({a, b}) / static_cast<double>(n * n);
                }
                centred.at({i, j}) += all - rows - columns;
            }
        return centred;
    };
    const NumberArray k = gram(x), l = gram(y);
    double kl = 0, kk = 0, ll = 0;
    for (size_t i = 0; i < k.values.size(); ++i) {
        kl += k.values[i] * l.values[i];
        kk += k.values[i] * k.values[i];
        ll += l.values[i] * l.values[i];
    }
    return kl / std::sqrt(kk * ll);
}

/// Rows (cos, -sin), (sin, cos) in the plane of two columns, after scaling everything.
TokenMatrix turned(TokenMatrix x, size_t a, size_t b, double angle, double scale) {
    for (int64_t i = 0; i < x.rows; ++i) {
        double* row = x.values.data() + i * x.columns;
        const double u = row[a], v = row[b];
        row[a] = std::cos(angle) * u - std::sin(angle) * v;
        row[b] = std::sin(angle) * u + std::cos(angle) * v;
    }
    for (double& value : x.values) value *= scale;
    return x;
}

TEST(Cosines, AreThoseOfEveryPairOfRows) {
    const TokenMatrix x = random_matrix(7, 5, 1);
    const NumberArray found = cosines(x);
    for (int64_t i = 0; i < 7; ++i)
        for (int64_t j = 0; j < 7; ++j) {
            EXPECT_NEAR(found.at({i, j}), cosine_of(x.row(i), x.row(j)), 1e-14);
            EXPECT_EQ(found.at({i, j}), found.at({j, i}));
            EXPECT_LE(std::abs(found.at({i, j})), 1);
        }
    EXPECT_EQ(found.at({3, 3}), 1);
}

TEST(Cosines, OfKnownVectorsAreKnown) {
    const NumberArray found = cosines({4, 2, {1, 0, 3, 4, -2, 0, 0, 0}});
    EXPECT_DOUBLE_EQ(found.at({0, 1}), 0.6);
    EXPECT_EQ(found.at({0, 2}), -1);
    EXPECT_EQ(found.at({1, 3}), 0);  // a vector of norm 0
    EXPECT_EQ(found.at({3, 3}), 0);
}

TEST(MeanCosine, IsTheMeanOffTheDiagonal) {
    const TokenMatrix x = random_matrix(9, 4, 2);
    const NumberArray all = cosines(x);
    double sum = 0;
    for (int64_t i = 0; i < 9; ++i)
        for (int64_t j = 0; j < 9; ++j)
            if (i != j) sum += all.at({i, j});
    EXPECT_NEAR(mean_cosine(x), sum / 72, 1e-14);
    EXPECT_TRUE(std::isnan(mean_cosine({1, 2, {1, 2}})));
}

TEST(MeanCosine, OfRowsWithANormOfZeroCountsThemAsZero) {
    EXPECT_NEAR(mean_cosine({3, 2, {1, 1, 2, 2, 0, 0}}), 2.0 / 6, 1e-15);
}

TEST(CollapsedTokens, HaveMeanCosineOneAndEffectiveRankOne) {
    TokenMatrix x{50, 20, {}};
    for (int64_t i = 0; i < 50; ++i)
        for (int64_t c = 0; c < 20; ++c)
            x.values.push_back((1 + static_cast<double>(i)) * std::sin(static_cast<double>(c)));
    EXPECT_NEAR(mean_cosine(x), 1, 1e-13);
    EXPECT_NEAR(effective_rank(x), 1, 1e-10);
}

TEST(EffectiveRank, CountsDirectionsThatAreUsedAlike) {
    TokenMatrix x{6, 4, std::vector<double>(24)};
    for (size_t i = 0; i < 3; ++i) x.values[i * 4 + i] = i == 1 ? -5 : 5;
    EXPECT_NEAR(effective_rank(x), 3, 1e-12);
    // p = 3/4 and 1/4
    const double expected = std::exp(-0.75 * std::log(0.75) - 0.25 * std::log(0.25));
    EXPECT_NEAR(effective_rank({2, 2, {3, 0, 0, 1}}), expected, 1e-12);
}

TEST(EffectiveRank, OfNothingOrOfNanIsUnknown) {
    EXPECT_TRUE(std::isnan(effective_rank({2, 2, {0, 0, 0, 0}})));
    EXPECT_TRUE(std::isnan(effective_rank({1, 2, {std::nan(""), 1}})));
}

TEST(LinearCka, OfAMatrixWithItselfIsOneAndKnowsRotationAndScaleOnly) {
    const TokenMatrix x = random_matrix(40, 6, 3);
    TokenMatrix shifted = turned(turned(x, 0, 3, 0.7, 2.5), 2, 5, -1.1, 0.01);
    for (double& value : shifted.values) value += 4;  // centred away
    EXPECT_NEAR(linear_cka({x}).at({0, 0}), 1, 1e-14);
    EXPECT_NEAR(linear_cka({x}, {shifted}).at({0, 0}), 1, 1e-12);
    TokenMatrix stretched = x;  // not isotropic
    for (int64_t i = 0; i < x.rows; ++i) stretched.values[static_cast<size_t>(i * 6)] *= 20;
    EXPECT_LT(linear_cka({x}, {stretched}).at({0, 0}), 0.9);
}

TEST(LinearCka, AgreesWithItsDefinitionByGramMatrices) {
    const TokenMatrix x = random_matrix(12, 5, 4), y = random_matrix(12, 8, 5);
    const double expected = cka_by_grams(x, y);
    EXPECT_NEAR(linear_cka({x}, {y}).at({0, 0}), expected, 1e-13);
    const NumberArray both = linear_cka({x, y});
    EXPECT_NEAR(both.at({1, 0}), expected, 1e-13);
    EXPECT_EQ(both.at({1, 0}), both.at({0, 1}));
}

TEST(LinearCka, IsZeroWhereNothingVaries) {
    const TokenMatrix x = random_matrix(4, 2, 6), flat{4, 1, {2, 2, 2, 2}};
    EXPECT_EQ(linear_cka({x}, {flat}).at({0, 0}), 0);
}

}  // namespace
}  // namespace headroom
