#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace headroom {

/// A mean over items and its standard error, s / sqrt(n) with the sample deviation s, as
/// lm-evaluation-harness has it; NaN for fewer than two items, of which nobody knows it.
struct SampleMean {
    double mean = 0, standard_error = std::numeric_limits<double>::quiet_NaN();
    int64_t count = 0;
};
/// " ± 0.0123" with so many decimals; "" where it is not known.
std::string error_text(const SampleMean& mean, int decimals = 4);

SampleMean sample_mean(std::span<const double> values);

/// The mean of means over other items each, all of which count alike; `count` is of all items.
SampleMean mean_of_means(std::span<const SampleMean> means);

}  // namespace headroom
