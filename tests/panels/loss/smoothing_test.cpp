#include "panels/loss/smoothing.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
        if (std::isfinite(expected[i]))
            EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
        else
            EXPECT_EQ(std::to_string(actual[i]), std::to_string(expected[i])) << i;
}

TEST(Smooth, IsTheDebiasedMovingAverageOfTensorBoard) {
    // last = 0.6 last + 0.4 value; out = last / (1 - 0.6^n), by hand.
    expect_near(smooth(std::vector{1.0, 2.0, 3.0}, 0.6), {1.0, 1.04 / 0.64, 1.824 / 0.784});
    expect_near(smooth(std::vector{5.0, 1.0}, 0.9), {5.0, (0.45 + 0.1) / 0.19});
}

TEST(Smooth, LeavesAConstantSeriesAlone) {
    const std::vector<double> constant(50, 0.1);
    EXPECT_EQ(smooth(constant, 0.95), constant);
}

TEST(Smooth, PassesNaNAndInfinityThroughWithoutCountingThem) {
    const double inf = std::numeric_limits<double>::infinity();
    expect_near(smooth(std::vector{1.0, kNaN, inf, 2.0}, 0.6), {1.0, kNaN, inf, 1.04 / 0.64});
    expect_near(smooth(std::vector{kNaN, 1.0, 2.0}, 0.6), {kNaN, 1.0, 1.04 / 0.64});
}

TEST(Smooth, WithoutWeightChangesNothing) {
    const std::vector<double> values = {3, 1, 2};
    EXPECT_EQ(smooth(values, 0), values);
    EXPECT_TRUE(smooth({}, 0.6).empty());
}

TEST(Smooth, StaysTrueOverManyPoints) {
    std::vector<double> values(200'000);
    double last = 0, reference = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(static_cast<double>(i) * 0.01) + 3;
        last = last * 0.999 + (1 - 0.999) * values[i];
        reference = last / (1 - std::pow(0.999, static_cast<double>(i + 1)));
    }
    EXPECT_NEAR(smooth(values, 0.999).back(), reference, 1e-13);
}

}  // namespace
}  // namespace headroom
