#include "core/stats/paired_test.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

/// Wu et al. (SkipV1Former), table 5: validation losses of LLaMA-1B over the seeds 42, 100, 2025.
const std::vector<double> kBaseline = {2.723, 2.753, 2.744};
const std::vector<double> kSkipV1 = {2.711, 2.743, 2.732};

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result;
    for (size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
    return result;
}

/// By hand: sums 8.220 and 8.186; squared deviations 0.000474 and 0.00052867, over 2.
TEST(Moments, AreThoseOfThePaper) {
    EXPECT_NEAR(moments_of(kBaseline).mean, 2.7400, 5e-5);
    EXPECT_NEAR(moments_of(kBaseline).deviation.value(), 0.0154, 5e-5);
    EXPECT_NEAR(moments_of(kSkipV1).mean, 2.7287, 5e-5);
    EXPECT_NEAR(moments_of(kSkipV1).deviation.value(), 0.0163, 5e-5);
}

TEST(Moments, OneValueHasNoDeviation) {
    EXPECT_FALSE(moments_of(std::vector<double>{2.5}).deviation.has_value());
}

/// By hand: differences -12, -10, -12 thousandths, mean -34/3, variance 4/3 (millionths), so
/// t = -34/3 / sqrt(4/9) = -17. p and interval: scipy.stats.ttest_rel(b, a),
/// scipy.stats.t.interval( .95, 2, loc=d.mean(), scale=scipy.stats.sem(d)); pairs needed: power of
/// nct, see distributions_test.cpp.
TEST(PairedDifference, OfThePapersTableIsSciPys) {
    const auto d = differences(kSkipV1, kBaseline);
    const MeanDifference result = paired_difference(d);
    EXPECT_NEAR(result.difference, -0.0113333333333, 1e-12);
    EXPECT_NEAR(result.p.value(), 0.003442351007065608, 1e-12);
    EXPECT_NEAR(result.interval.value().low, -0.01420176848649941, 1e-12);
    EXPECT_NEAR(result.interval.value().high, -0.008464898180167425, 1e-12);
    // Two are not enough: t(0.975, 1) = 12.706 and the shift 9.815 √2 = 13.88 leave P(|Z| < 1.09).
    EXPECT_EQ(seeds_needed(d), 3);
}

/// By hand: mean 3, variance 10 / 4, error 1 / sqrt 2; t(0.975, 4) is SciPy's.
TEST(TInterval, HasADegreeOfFreedomLessThanValues) {
    const std::vector<double> five = {1, 2, 3, 4, 5};
    const Interval interval = t_interval(five).value();
    EXPECT_NEAR(interval.low, 3 - 2.7764451051977934 / std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(interval.high, 3 + 2.7764451051977934 / std::sqrt(2.0), 1e-12);
}

TEST(PairedDifference, OnePairHasNeitherIntervalNorTest) {
    const std::vector<double> one = {-0.01};
    const MeanDifference result = paired_difference(one);
    EXPECT_DOUBLE_EQ(result.difference, -0.01);
    EXPECT_FALSE(result.interval.has_value());
    EXPECT_FALSE(result.p.has_value());
    EXPECT_FALSE(seeds_needed(one).has_value());
}

TEST(PairedDifference, EqualDifferencesHaveNoSpread) {
    const std::vector<double> same = {0.25, 0.25, 0.25}, none = {0, 0};
    EXPECT_EQ(paired_difference(same).p, 0.0);
    EXPECT_EQ(paired_difference(none).p, 1.0);
    EXPECT_EQ(seeds_needed(same), 2);
    EXPECT_FALSE(seeds_needed(none).has_value());
}

/// scipy.stats.ttest_ind(x, y, equal_var=False) and its confidence_interval().
TEST(WelchDifference, IsSciPys) {
    const std::vector<double> x = {2.1, 2.4, 2.2, 2.6}, y = {2.0, 2.05, 1.9};
    const MeanDifference result = welch_difference(x, y);
    EXPECT_NEAR(result.difference, 0.34166666666666667, 1e-12);
    EXPECT_NEAR(result.p.value(), 0.04746239414522704, 1e-12);
    EXPECT_NEAR(result.interval.value().low, 0.006266246715430357, 1e-11);
    EXPECT_NEAR(result.interval.value().high, 0.6770670866179036, 1e-11);
    EXPECT_FALSE(welch_difference(x, std::vector<double>{2.0}).p.has_value());
}

TEST(WelchDifference, OfRunsWithoutAnySpreadIsCertain) {
    const std::vector<double> two = {2.5, 2.5}, three = {2.25, 2.25, 2.25};
    const MeanDifference result = welch_difference(two, three);
    EXPECT_EQ(result.p, 0.0);
    EXPECT_EQ(result.interval.value().low, 0.25);
    EXPECT_EQ(result.interval.value().high, 0.25);
    EXPECT_EQ(welch_difference(two, two).p, 1.0);
}

/// By hand: sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1, none below the one before it.
TEST(Holm, CorrectsInTheOrderOfThePs) {
    const std::vector<std::optional<double>> p = {0.01, 0.04, std::nullopt, 0.03, 0.005};
    const auto corrected = holm(p);
    EXPECT_DOUBLE_EQ(corrected[0].value(), 0.03);
    EXPECT_DOUBLE_EQ(corrected[1].value(), 0.06);
    EXPECT_FALSE(corrected[2].has_value());
    EXPECT_DOUBLE_EQ(corrected[3].value(), 0.06);
    EXPECT_DOUBLE_EQ(corrected[4].value(), 0.02);
    EXPECT_DOUBLE_EQ(holm(std::vector<std::optional<double>>{0.9, 0.8})[0].value(), 1);
}

/// Differences with mean `effect` and deviation 1. Smallest n by scanning SciPy's nct, as in
/// distributions_test.cpp.
std::vector<double> with_effect(double effect) {
    const double half = std::sqrt(0.5);
    return {effect - half, effect + half};
}

TEST(SeedsNeeded, IsTheSmallestNumberWithPower) {
    EXPECT_EQ(seeds_needed(with_effect(0.5)), 34);
    EXPECT_EQ(seeds_needed(with_effect(-1)), 10);
    EXPECT_EQ(seeds_needed(with_effect(2)), 5);
    EXPECT_EQ(seeds_needed(with_effect(3)), 4);
    EXPECT_EQ(seeds_needed(with_effect(0.2)), 199);
    EXPECT_EQ(seeds_needed(with_effect(0.1)), 787);
    EXPECT_EQ(seeds_needed(with_effect(8)), 3);
    EXPECT_EQ(seeds_needed(with_effect(20)), 2);
    EXPECT_FALSE(seeds_needed(with_effect(0.0885)).has_value()) << "more than a thousand";
}

/// Checked by drawing 200,000 samples: of 13 values with deviation 0.003 about 0, 82 % have an
/// interval within ±0.003, of 12 values 77 %; about 0.0015, 34 values have 81 % and 33 79 %.
TEST(SeedsNeeded, OfAnEqualityBothEdgesCount) {
    const double half = 0.003 * std::sqrt(0.5);
    const std::vector<double> middle{-half, half}, nearer{0.0015 - half, 0.0015 + half},
        outside{0.006 - half, 0.006 + half}, same{0.001, 0.001};
    EXPECT_EQ(seeds_needed_within(middle, 0.003), 13);
    EXPECT_EQ(seeds_needed_within(nearer, 0.003), 34);
    EXPECT_EQ(seeds_needed_within(outside, 0.003), seeds_needed(with_effect(1)))
        << "to be found unequal";
    EXPECT_EQ(seeds_needed_within(same, 0.003), 2);
    EXPECT_FALSE(seeds_needed_within(std::vector<double>{0.001}, 0.003).has_value());
}

}  // namespace
}  // namespace headroom
