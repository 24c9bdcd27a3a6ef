#include "core/cpu/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

// The errors that vector_math.h promises, measured against libm in double over the stated ranges.

namespace headroom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Distance in units of the last place of the nearest float.
double ulps(float actual, double expected) {
    int exponent = 0;
    std::frexp(static_cast<float>(expected), &exponent);
    return std::abs(static_cast<double>(actual) - expected) / std::ldexp(1.0, exponent - 24);
}

template <class F>
void for_floats(double from, double to, double step, F&& f) {
    for (double x = from; x < to; x += step) f(static_cast<float>(x));
}

TEST(VectorMath, ExponentialIsWithinItsBound) {
    double worst = 0;
    for_floats(-87.32, 88.36, 1.37e-4, [&](float x) {
        worst = std::max(worst, ulps(vmath::exp(x), std::exp(static_cast<double>(x))));
    });
    EXPECT_LE(worst, 1.1);
    EXPECT_EQ(vmath::exp(0.0f), 1.0f);
}

TEST(VectorMath, ExponentialHasCleanEnds) {
    EXPECT_EQ(vmath::exp(-87.4f), 0.0f);
    EXPECT_EQ(vmath::exp(-1e30f), 0.0f);
    EXPECT_EQ(vmath::exp(-kInfinity), 0.0f);
    EXPECT_EQ(vmath::exp(88.8f), kInfinity);
    EXPECT_EQ(vmath::exp(kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(vmath::exp(kNaN)));
    EXPECT_GE(vmath::exp(-87.32f), std::numeric_limits<float>::min());
}

TEST(VectorMath, SigmoidIsWithinItsBound) {
    double worst = 0;
    for_floats(-80.0, 80.0, 1.1e-4, [&](float x) {
        worst = std::max(worst, ulps(vmath::sigmoid(x), 1.0 / (1.0 + std::exp(-double{x}))));
    });
    EXPECT_LE(worst, 2.5);
    EXPECT_EQ(vmath::sigmoid(0.0f), 0.5f);
    EXPECT_EQ(vmath::sigmoid(-kInfinity), 0.0f);
    EXPECT_EQ(vmath::sigmoid(kInfinity), 1.0f);
    EXPECT_TRUE(std::isnan(vmath::sigmoid(kNaN)));
}

TEST(VectorMath, ReciprocalIsWithinItsBound) {
    double worst = 0;
    for (const double scale : {0x1p-120, 1.0, 0x1p119})
        for_floats(scale, 2 * scale, scale * 1.3e-6, [&](float x) {
            worst = std::max(worst, ulps(vmath::reciprocal(x), 1.0 / double{x}));
        });
    EXPECT_LE(worst, 1.0);
    EXPECT_EQ(vmath::reciprocal(1.0f), 1.0f);
    EXPECT_TRUE(std::isnan(vmath::reciprocal(kNaN)));
}

TEST(VectorMath, NormalDistributionIsWithinItsBound) {
    double cdf = 0, density = 0;
    for_floats(-12.0, 12.0, 1.7e-5, [&](float x) {
        const vmath::Normal<float> normal = vmath::normal(x);
        cdf = std::max(cdf, ulps(normal.cdf, 0.5 * std::erfc(-double{x} * std::sqrt(0.5))));
        density = std::max(
            density, ulps(normal.density, 0.39894228040143267794 * std::exp(-0.5 * double{x} * x)));
    });
    EXPECT_LE(cdf, 7.0);
    EXPECT_LE(density, 4.0);
    EXPECT_EQ(vmath::normal(0.0f).cdf, 0.5f);
    EXPECT_EQ(vmath::normal(1e30f).cdf, 1.0f);
    EXPECT_EQ(vmath::normal(-1e30f).cdf, 0.0f);
    EXPECT_TRUE(std::isnan(vmath::normal(kNaN).cdf));
}

}  // namespace
}  // namespace headroom
