#pragma once

#include <string>

#include "panels/study/run.h"

namespace headroom {

/// Why nothing of its model can be shown: "a was imported: nothing is known of its model."
/// REQUIRES: it has no job.
std::string why_no_model(const Run& run);

}  // namespace headroom
