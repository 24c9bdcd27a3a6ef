#pragma once

#include <span>
#include <vector>

namespace headroom {

/// The whole of a series smoothed as TensorBoard does (core/stats/moving_average.h); one whose
/// values are all equal is left alone. weight in [0, 1); 0 returns the values unchanged.
std::vector<double> smooth(std::span<const double> values, double weight);

}  // namespace headroom
