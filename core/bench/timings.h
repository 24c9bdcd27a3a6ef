#pragma once

namespace headroom {

/// Repetitions before the first that is timed: page faults, the library's kernels; a device that
/// records its work plays it from the third on.
constexpr int kWarmUps = 3;

}  // namespace headroom
