#include "core/stats/distributions.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headroom {
namespace {

/// Expected numbers: SciPy 1.x, from
///   python3 -c "from scipy.stats import t, beta, nct; print(repr(t.ppf(.975, 2)), …)"
/// with t.ppf(p, n), 2 * t.sf(x, n), beta.cdf(x, a, b), and for the power
///   tc = t.ppf(.975, n - 1); d = e * n**.5; nct.sf(tc, n - 1, d) + nct.cdf(-tc, n - 1, d)

constexpr double kRelative = 1e-11;

void expect_close(double value, double expected, double relative = kRelative) {
    EXPECT_NEAR(value, expected, relative * std::fabs(expected));
}

TEST(Distributions, IncompleteBetaIsSciPys) {
    expect_close(incomplete_beta(2, 5, 0.3), 0.5798250000000003);
    expect_close(incomplete_beta(3, 0.5, 1e-4), 3.125117194531738e-13);
    EXPECT_EQ(incomplete_beta(2, 5, 0), 0);
    EXPECT_EQ(incomplete_beta(2, 5, 1), 1);
}

TEST(Distributions, TwoSidedPIsSciPys) {
    expect_close(t_two_sided_p(0.5, 1), 0.7048327646991335);
    expect_close(t_two_sided_p(-2.0, 3), 0.13932596855884305);
    expect_close(t_two_sided_p(12.0, 2), 0.00687293367715846);
    expect_close(t_two_sided_p(30.0, 9), 2.4837047041582635e-10);
    expect_close(t_two_sided_p(1e-3, 5), 0.9992407867721976);
    expect_close(t_two_sided_p(2.5, 3.7), 0.07182202291182678);
    EXPECT_EQ(t_two_sided_p(INFINITY, 4), 0);
    EXPECT_TRUE(std::isnan(t_two_sided_p(NAN, 4)));
}

TEST(Distributions, QuantilesAreSciPys) {
    expect_close(t_quantile(0.975, 1), 12.706204736174694);
    expect_close(t_quantile(0.975, 2), 4.302652729749462);
    expect_close(t_quantile(0.975, 4), 2.7764451051977934);
    expect_close(t_quantile(0.975, 30), 2.0422724563012378);
    expect_close(t_quantile(0.975, 1000), 1.9623390808264083);
    expect_close(t_quantile(0.975, 3.7), 2.8675207071911895);
    expect_close(t_quantile(0.025, 9), -2.262157162798205);
    EXPECT_EQ(t_quantile(0.5, 3), 0);
}

TEST(Distributions, PowerIsThatOfNoncentralT) {
    expect_close(paired_t_power(0.5, 34), 0.8077775012792738, 1e-9);
    expect_close(paired_t_power(1, 10), 0.8030968566327219, 1e-9);
    expect_close(paired_t_power(2, 4), 0.7549839171140108, 1e-9);
    expect_close(paired_t_power(0.2, 199), 0.8016910240370655, 1e-9);
    expect_close(paired_t_power(0, 7), 0.05, 1e-9);
    expect_close(paired_t_power(8, 3), 0.9999182049062195, 1e-9);
    expect_close(paired_t_power(0.09, 1000), 0.8114768828801808, 1e-9);
    EXPECT_GT(paired_t_power(1000, 2), 0.999999) << "where SciPy's own gives up";
}

/// By Simpson's rule over the sample's deviation in Python, to where the interval is wider than
/// the edges are apart: what lies beyond has no chance, not one below 0.
TEST(Distributions, PowerWithinTwoEdgesIsThatOfTheIntervalsThatFit) {
    EXPECT_NEAR(within_power(1, 1, 3), 0.062165056, 1e-8);
    EXPECT_NEAR(within_power(1, 1, 4), 0.095790189, 1e-8);
    EXPECT_NEAR(within_power(0.5, 1.5, 10), 0.282480104, 1e-8);
    EXPECT_NEAR(within_power(1.5, 0.5, 10), 0.282480104, 1e-8);
}

}  // namespace
}  // namespace headroom
