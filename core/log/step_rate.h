#pragma once

#include <cstddef>
#include <optional>

#include "core/log/run_series.h"

namespace headroom {

/// How fast the steps of a run are: of the median row, so that evaluations, checkpoints and pauses
/// between some of them do not count.
struct StepRate {
    double seconds_per_step = 0;
    double tokens_per_second = 0;
};

/// Enough for the speed of a whole run.
inline constexpr size_t kRateRows = 4096;

/// Of the last `most_rows` rows, each seen from the one before it; none where fewer than two tell.
std::optional<StepRate> median_step_rate(const TrainSeries& train, size_t most_rows = kRateRows);

}  // namespace headroom
