#pragma once

#include <span>
#include <vector>

namespace headroom {

/// TensorBoard's smoothing, value for value (line-chart, `smoothing.ts`): an exponential moving
/// average in which each finite value counts 1 - weight, divided by 1 - weight^n after n finite
/// values so that the start is not drawn towards zero. A series whose values are all equal is left
/// alone; a value that is not finite passes through and changes nothing after it.
/// weight in [0, 1); 0 returns the values unchanged.
std::vector<double> smooth(std::span<const double> values, double weight);

}  // namespace headroom
