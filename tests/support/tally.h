#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace headroom {

/// Adds to the file that HEADROOM_TALLY names (environment), if it does, that `what` was tried so
/// many times and withstood: a line of day, what and times, split at tabs. `./run trust` makes
/// TRUST.md of it.
inline void tally(const std::string& what, int64_t times) {
    const char* file = std::getenv("HEADROOM_TALLY");
    if (file == nullptr || times == 0) return;
    const std::string line =
        fmt::format("{:%Y-%m-%d}\t{}\t{}\n", fmt::gmtime(std::time(nullptr)), what, times);
    std::ofstream(file, std::ios::app) << line;
}

}  // namespace headroom
