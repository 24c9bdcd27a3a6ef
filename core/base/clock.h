#pragma once

#include <chrono>

namespace headroom {

/// Seconds of a clock that only goes forward, for measuring.
inline double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace headroom
