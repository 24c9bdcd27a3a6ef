#include "core/stats/paired_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/stats/distributions.h"

namespace headroom {
namespace {

Interval around(double middle, double half) {
    return {middle - half, middle + half};
}

/// p of a difference without any spread.
double p_without_spread(double difference) {
    return difference == 0 ? 1.0 : 0.0;
}

}  // namespace

SampleMoments moments_of(std::span<const double> values) {
    CHECK(!values.empty(), "moments need a value");
    const auto n = static_cast<double>(values.size());
    SampleMoments result{static_cast<int>(values.size()),
                         std::accumulate(values.begin(), values.end(), 0.0) / n,
                         {}};
    if (values.size() < 2) return result;
    double squares = 0;
    for (const double value : values) squares += (value - result.mean) * (value - result.mean);
    result.deviation = std::sqrt(squares / (n - 1));
    return result;
}

std::optional<Interval> t_interval(std::span<const double> values) {
    const SampleMoments moments = moments_of(values);
    if (!moments.deviation) return std::nullopt;
    const double error = *moments.deviation / std::sqrt(static_cast<double>(moments.n));
    return around(moments.mean, t_quantile(kTwoSidedEnd, moments.n - 1) * error);
}

MeanDifference paired_difference(std::span<const double> differences) {
    const SampleMoments moments = moments_of(differences);
    MeanDifference result{moments.mean, t_interval(differences), {}};
    if (!moments.deviation) return result;
    const double error = *moments.deviation / std::sqrt(static_cast<double>(moments.n));
    result.p = error > 0 ? t_two_sided_p(moments.mean / error, moments.n - 1)
                         : p_without_spread(moments.mean);
    return result;
}

MeanDifference welch_difference(std::span<const double> a, std::span<const double> b) {
    const SampleMoments of_a = moments_of(a), of_b = moments_of(b);
    MeanDifference result{of_a.mean - of_b.mean, {}, {}};
    if (!of_a.deviation || !of_b.deviation) return result;
    const double part_a = *of_a.deviation * *of_a.deviation / of_a.n;
    const double part_b = *of_b.deviation * *of_b.deviation / of_b.n;
    const double error = std::sqrt(part_a + part_b);
    if (!(error > 0)) {
        result.interval = around(result.difference, 0);
        result.p = p_without_spread(result.difference);
        return result;
    }
    const double degrees = (part_a + part_b) * (part_a + part_b) /
                           (part_a * part_a / (of_a.n - 1) + part_b * part_b / (of_b.n - 1));
    result.interval = around(result.difference, t_quantile(kTwoSidedEnd, degrees) * error);
    result.p = t_two_sided_p(result.difference / error, degrees);
    return result;
}

std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p) {
    std::vector<size_t> order;
    for (size_t i = 0; i < p.size(); ++i)
        if (p[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return *p[a] < *p[b]; });
    std::vector<std::optional<double>> corrected(p.size());
    double greatest = 0;
    for (size_t rank = 0; rank < order.size(); ++rank) {
        const double factor = static_cast<double>(order.size() - rank);
        greatest = std::max(greatest, std::min(1.0, factor * *p[order[rank]]));
        corrected[order[rank]] = greatest;
    }
    return corrected;
}

/// The smallest n with power enough; power grows with n.
template <class Power>
static std::optional<int> least_with_power(const Power& power_of) {
    constexpr double kPower = 0.8;
    const auto is_enough = [&](int n) { return power_of(n) >= kPower; };
    if (!is_enough(kMostSeeds)) return std::nullopt;
    int too_few = 1, enough = kMostSeeds;
    while (enough - too_few > 1) {
        const int n = (too_few + enough) / 2;
        (is_enough(n) ? enough : too_few) = n;
    }
    return enough;
}

std::optional<int> seeds_needed(std::span<const double> differences) {
    const SampleMoments moments = moments_of(differences);
    if (!moments.deviation || moments.mean == 0) return std::nullopt;
    if (*moments.deviation == 0) return 2;  // two equal differences are a test already
    const double effect = std::fabs(moments.mean) / *moments.deviation;
    return least_with_power([&](int n) { return paired_t_power(effect, n); });
}

std::optional<int> seeds_needed_within(std::span<const double> differences, double within) {
    const SampleMoments moments = moments_of(differences);
    if (!moments.deviation) return std::nullopt;
    if (std::fabs(moments.mean) >= within) {
        std::vector<double> beyond(differences.begin(), differences.end());
        for (double& value : beyond) value -= std::copysign(within, moments.mean);
        return seeds_needed(beyond);
    }
    if (*moments.deviation == 0) return 2;
    const double below = (within + moments.mean) / *moments.deviation,
                 above = (within - moments.mean) / *moments.deviation;
    return least_with_power([&](int n) { return within_power(below, above, n); });
}

}  // namespace headroom
