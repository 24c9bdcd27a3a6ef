#pragma once

#include <cstdint>
#include <span>

namespace headroom {

/// A mean over items and its standard error, s / sqrt(n) with the sample deviation s (0 for one
/// item), as lm-evaluation-harness has it.
struct SampleMean {
    double mean = 0, standard_error = 0;
    int64_t count = 0;
};
SampleMean sample_mean(std::span<const double> values);

/// The mean of means over other items each, all of which count alike; `count` is of all items.
SampleMean mean_of_means(std::span<const SampleMean> means);

}  // namespace headroom
