#pragma once

#include <optional>
#include <span>
#include <vector>

namespace headroom {

/// Mean of some values with the sample's standard deviation (n - 1), which one value alone has not.
struct SampleMoments {
    int n = 0;
    double mean = 0;
    std::optional<double> deviation;
};
/// REQUIRES: a value at least.
SampleMoments moments_of(std::span<const double> values);

struct Interval {
    double low = 0, high = 0;
};

/// A difference of means with its 95 % interval and its p.
struct MeanDifference {
    double difference = 0;
    std::optional<Interval> interval;  ///< none with one pair
    std::optional<double> p;           ///< two-sided; none with one pair
};

/// mean ± t(0.975, n - 1) s / √n; none for one value.
std::optional<Interval> t_interval(std::span<const double> values);

/// The paired t test of differences a - b, one for each pair. Differences that are all equal have
/// no spread: p is 0, or 1 where they are all 0. REQUIRES: a pair at least.
MeanDifference paired_difference(std::span<const double> differences);

/// Welch's test of two samples that are not paired, mean of a - mean of b: variances may differ,
/// and the degrees of freedom are Welch and Satterthwaite's. REQUIRES: a value in each; two for a
/// test.
MeanDifference welch_difference(std::span<const double> a, std::span<const double> b);

/// Holm's correction (1979) of p values of several comparisons with one baseline, in their order;
/// those that are missing stay so and do not count.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

/// As many as anybody is told to train.
inline constexpr int kMostSeeds = 1000;

/// The smallest number of pairs with which the paired t test at level 0.05 finds, with power 0.8, a
/// difference of the size and spread of these; none if kMostSeeds do not do, or where one pair
/// tells no spread.
std::optional<int> seeds_needed(std::span<const double> differences);

/// The same for an interval that lies within ±`within`, where the mean of these does; where it does
/// not, for one that leaves the nearer edge outside.
std::optional<int> seeds_needed_within(std::span<const double> differences, double within);

}  // namespace headroom
