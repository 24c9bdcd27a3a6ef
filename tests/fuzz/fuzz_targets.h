#pragma once

#include <vector>

#include "tests/support/fuzz_case.h"

namespace headroom {

/// Every reader that is fuzzed. To add one, add a function to fuzz_targets.cpp.
std::vector<FuzzTarget> fuzz_targets();

}  // namespace headroom
