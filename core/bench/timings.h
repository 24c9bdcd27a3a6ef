#pragma once

#include <vector>

namespace headroom {

/// Repetitions before the first that is timed: page faults, the library's kernels; a device that
/// records its work plays it from the third on.
constexpr int kWarmUps = 3;

/// The upper one of the two in the middle of an even number. `values` must not be empty.
double median(std::vector<double> values);

}  // namespace headroom
