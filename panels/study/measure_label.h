#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "panels/study/measured_runs.h"

namespace headroom {

/// Where numbers were asked for, in tokens, and the places that they are from.
struct MeasuredAt {
    int64_t asked = 0, earliest = std::numeric_limits<int64_t>::max(), latest = 0;

    void include(const MeasuredRuns& measured);
};

/// What an axis of this measure is called: "validation loss at the end (nats)", "validation loss
/// after 5000 tokens, evaluated at 2560 (nats)".
std::string axis_label(const Measure& measure, const std::optional<MeasuredAt>& at = {});

}  // namespace headroom
