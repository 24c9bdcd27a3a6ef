#pragma once

namespace headroom {

/// How many times as long as usual a test waits before it calls a program hung. The build says so
/// where its checks make programs slow (tests/CMakeLists.txt).
#ifdef HEADROOM_PATIENCE
constexpr int kPatience = HEADROOM_PATIENCE;
#else
constexpr int kPatience = 1;
#endif

}  // namespace headroom
