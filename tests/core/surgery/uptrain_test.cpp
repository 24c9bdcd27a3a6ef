#include "core/surgery/uptrain.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "core/linalg/svd.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

constexpr int64_t kHeads = 4, kWidth = 3, kModel = 12, kOwn = kHeads / 2;

ValueOutput layer() {
    return {random_matrix(kModel, kHeads * kWidth, 1), random_matrix(1, kHeads * kWidth, 2),
            random_matrix(kHeads * kWidth, kModel, 3), random_matrix(1, kModel, 4)};
}

/// Columns of head h times `factor`, so that the norms have a known order.
void scale_value_head(ValueOutput& layer, int64_t h, double factor) {
    for (int64_t i = 0; i < kModel; ++i)
        for (int64_t c = 0; c < kWidth; ++c) layer.v.at(i, h * kWidth + c) *= factor;
}

void scale_output_block(ValueOutput& layer, int64_t h, double factor) {
    for (int64_t c = 0; c < kWidth; ++c)
        for (int64_t j = 0; j < kModel; ++j) layer.o.at(h * kWidth + c, j) *= factor;
}

void expect_own_shape(const ValueOutput& result) {
    EXPECT_EQ(result.v.rows, kModel);
    EXPECT_EQ(result.v.cols, kOwn * kWidth);
    EXPECT_EQ(result.v_bias.cols, kOwn * kWidth);
    EXPECT_EQ(result.o.rows, kHeads * kWidth);
    EXPECT_EQ(result.o.cols, kModel);
}

void expect_no_output_behind(const ValueOutput& result) {
    for (int64_t r = kOwn * kWidth; r < kHeads * kWidth; ++r)
        for (int64_t j = 0; j < kModel; ++j) EXPECT_EQ(result.o.at(r, j), 0);
}

TEST(Uptrain, MeanVAveragesAdjacentValueHeadsAndLeavesTheOutput) {
    const ValueOutput before = layer(), after = uptrain_mean_v(before, kHeads);
    expect_own_shape(after);
    for (int64_t head = 0; head < kOwn; ++head)
        for (int64_t c = 0; c < kWidth; ++c) {
            const int64_t a = 2 * head * kWidth + c, b = (2 * head + 1) * kWidth + c;
            for (int64_t i = 0; i < kModel; ++i)
                EXPECT_DOUBLE_EQ(after.v.at(i, head * kWidth + c),
                                 0.5 * before.v.at(i, a) + 0.5 * before.v.at(i, b));
            EXPECT_DOUBLE_EQ(after.v_bias.at(0, head * kWidth + c),
                             0.5 * before.v_bias.at(0, a) + 0.5 * before.v_bias.at(0, b));
        }
    EXPECT_EQ(after.o.values, before.o.values);
    EXPECT_EQ(after.o_bias.values, before.o_bias.values);
}

TEST(Uptrain, MeanVChangesNothingWhereBothHeadsOfAPairAreEqual) {
    ValueOutput before = layer();
    for (int64_t i = 0; i < kModel; ++i)
        for (int64_t c = 0; c < kWidth; ++c)
            before.v.at(i, 3 * kWidth + c) = before.v.at(i, 2 * kWidth + c);
    const ValueOutput after = uptrain_mean_v(before, kHeads);
    for (int64_t i = 0; i < kModel; ++i)
        for (int64_t c = 0; c < kWidth; ++c)
            EXPECT_EQ(after.v.at(i, kWidth + c), before.v.at(i, 2 * kWidth + c));
}

TEST(Uptrain, MeanVoAveragesTheOutputBlocksTooAndClearsTheRest) {
    const ValueOutput before = layer(), after = uptrain_mean_vo(before, kHeads);
    expect_own_shape(after);
    EXPECT_EQ(after.v.values, uptrain_mean_v(before, kHeads).v.values);
    for (int64_t head = 0; head < kOwn; ++head)
        for (int64_t c = 0; c < kWidth; ++c)
            for (int64_t j = 0; j < kModel; ++j)
                EXPECT_DOUBLE_EQ(after.o.at(head * kWidth + c, j),
                                 0.5 * before.o.at(2 * head * kWidth + c, j) +
                                     0.5 * before.o.at((2 * head + 1) * kWidth + c, j));
    expect_no_output_behind(after);
    EXPECT_EQ(after.o_bias.values, before.o_bias.values);
}

TEST(Uptrain, TopVKeepsTheLargestHeadsInTheOrderOfTheirIndices) {
    ValueOutput before = layer();
    scale_value_head(before, 1, 10);
    scale_value_head(before, 3, 20);  // larger, yet second
    const ValueOutput after = uptrain_top_v(before, kHeads);
    expect_own_shape(after);
    const int64_t kept[kOwn] = {1, 3};
    for (int64_t head = 0; head < kOwn; ++head)
        for (int64_t c = 0; c < kWidth; ++c) {
            for (int64_t i = 0; i < kModel; ++i)
                EXPECT_EQ(after.v.at(i, head * kWidth + c),
                          before.v.at(i, kept[head] * kWidth + c));
            EXPECT_EQ(after.v_bias.at(0, head * kWidth + c),
                      before.v_bias.at(0, kept[head] * kWidth + c));
        }
    EXPECT_EQ(after.o.values, before.o.values);
}

TEST(Uptrain, TopVoChoosesTheOutputBlocksByThemselves) {
    ValueOutput before = layer();
    scale_value_head(before, 1, 10);
    scale_value_head(before, 3, 20);
    scale_output_block(before, 0, 10);
    scale_output_block(before, 2, 20);
    const ValueOutput after = uptrain_top_vo(before, kHeads);
    EXPECT_EQ(after.v.values, uptrain_top_v(before, kHeads).v.values);
    const int64_t kept[kOwn] = {0, 2};
    for (int64_t head = 0; head < kOwn; ++head)
        for (int64_t c = 0; c < kWidth; ++c)
            for (int64_t j = 0; j < kModel; ++j)
                EXPECT_EQ(after.o.at(head * kWidth + c, j),
                          before.o.at(kept[head] * kWidth + c, j));
    expect_no_output_behind(after);
}

TEST(Uptrain, OfEqualNormsTheFirstHeadsStay) {
    ValueOutput before = layer();
    before.v = Matrix(kModel, kHeads * kWidth);
    for (int64_t j = 0; j < kHeads * kWidth; ++j) before.v.at(j, j) = 1;  // all norms are equal
    const ValueOutput after = uptrain_top_v(before, kHeads);
    for (int64_t j = 0; j < kOwn * kWidth; ++j) EXPECT_EQ(after.v.at(j, j), 1);
}

double squared_distance(const Matrix& a, const Matrix& b) {
    double sum = 0;
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) sum += std::pow(a.at(i, j) - b.at(i, j), 2);
    return sum;
}

/// The product by a triple loop.
Matrix multiplied(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < b.cols; ++j)
            for (int64_t k = 0; k < a.cols; ++k) c.at(i, j) += a.at(i, k) * b.at(k, j);
    return c;
}

Matrix rows_before(const Matrix& m, int64_t end) {
    return {end, m.cols, {m.values.begin(), m.values.begin() + end * m.cols}};
}

TEST(Uptrain, SvdErrorIsTheTailOfTheSingularValues) {
    const ValueOutput before = layer(), after = uptrain_svd(before, kHeads);
    expect_own_shape(after);
    expect_no_output_behind(after);
    const Matrix whole = multiplied(before.v, before.o);
    const Matrix kept = multiplied(after.v, rows_before(after.o, kOwn * kWidth));
    const std::vector<double> s = svd_jacobi(whole).s;
    double tail = 0, all = 0;
    for (size_t r = 0; r < s.size(); ++r) {
        all += s[r] * s[r];
        if (r >= kOwn * kWidth) tail += s[r] * s[r];
    }
    EXPECT_NEAR(all, squared_distance(whole, Matrix(kModel, kModel)), 1e-11 * all);
    EXPECT_GT(tail, 1e-4 * all);
    EXPECT_NEAR(squared_distance(whole, kept), tail, 1e-11 * all);
}

TEST(Uptrain, SvdSharesEverySingularValueEquallyBetweenBothFactors) {
    const ValueOutput after = uptrain_svd(layer(), kHeads);
    for (int64_t r = 0; r < kOwn * kWidth; ++r) {
        double v = 0, o = 0;
        for (int64_t i = 0; i < kModel; ++i) v += std::pow(after.v.at(i, r), 2);
        for (int64_t j = 0; j < kModel; ++j) o += std::pow(after.o.at(r, j), 2);
        EXPECT_NEAR(v, o, 1e-12 * v);
    }
}

TEST(Uptrain, SvdMovesTheBiasOfTheValuesBehindTheOutput) {
    const ValueOutput before = layer(), after = uptrain_svd(before, kHeads);
    const Matrix moved = multiplied(before.v_bias, before.o);
    for (const double bias : after.v_bias.values) EXPECT_EQ(bias, 0);
    for (int64_t j = 0; j < kModel; ++j)
        EXPECT_NEAR(after.o_bias.at(0, j), before.o_bias.at(0, j) + moved.at(0, j), 1e-13);
}

TEST(Uptrain, SvdFillsHeadsWiderThanTheModelWithZeros) {
    const ValueOutput wide{random_matrix(2, 12, 1), {}, random_matrix(12, 2, 2), {}};
    const ValueOutput after = uptrain_svd(wide, 4);
    EXPECT_EQ(after.v.cols, 6);
    const Matrix whole = multiplied(wide.v, wide.o),
                 kept = multiplied(after.v, rows_before(after.o, 6));
    EXPECT_NEAR(squared_distance(whole, kept), 0, 1e-24);
    for (int64_t r = 2; r < 6; ++r) EXPECT_EQ(after.v.at(0, r), 0);
}

TEST(Uptrain, LayersWithoutBiasesStayWithout) {
    ValueOutput before = layer();
    before.v_bias = before.o_bias = {};
    for (const std::string& method : conversions_to("skipv1")) {
        const ValueOutput after = uptrain_values(method, before, kHeads);
        EXPECT_TRUE(after.v_bias.empty()) << method;
        EXPECT_TRUE(after.o_bias.empty()) << method;
    }
}

TEST(Uptrain, MeanPoolingAveragesContiguousGroups) {
    const Matrix before = random_matrix(5, 6 * kWidth, 9);
    for (const int64_t groups : {1, 2, 3, 6}) {
        const Matrix after = mean_of_head_groups(before, 6, groups);
        ASSERT_EQ(after.cols, groups * kWidth);
        const int64_t size = 6 / groups;
        for (int64_t i = 0; i < 5; ++i)
            for (int64_t g = 0; g < groups; ++g)
                for (int64_t c = 0; c < kWidth; ++c) {
                    double mean = 0;
                    for (int64_t h = g * size; h < (g + 1) * size; ++h)
                        mean += before.at(i, h * kWidth + c) / static_cast<double>(size);
                    EXPECT_NEAR(after.at(i, g * kWidth + c), mean, 1e-15);
                }
    }
}

TEST(Uptrain, ConversionsAreFoundByTheirNames) {
    for (const Conversion& conversion : conversions())
        EXPECT_EQ(&find_conversion(conversion.name), &conversion);
    EXPECT_THROW(find_conversion("mean-v"), UserError);
}

}  // namespace
}  // namespace headroom
