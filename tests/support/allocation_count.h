#pragma once

#include <cstdint>

namespace headroom {

/// Calls of operator new so far from this program's own code. Those from inside shared libraries
/// (oneDNN allocates a little in each product) are not counted. Link allocation_count.cpp, which
/// replaces the operator.
int64_t allocation_count();

}  // namespace headroom
