#pragma once

#include <string>

#include "panels/study/measured_runs.h"

namespace headroom {

/// What an axis of this measure is called: "validation loss at the end (nats)".
std::string axis_label(const Measure& measure);

}  // namespace headroom
