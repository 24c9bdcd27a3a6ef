#pragma once

#include <vector>

#include "tests/support/fuzz_case.h"

namespace headroom {

/// Readers of the figure renderer; none where it is not built.
std::vector<FuzzTarget> studio_targets();

}  // namespace headroom
