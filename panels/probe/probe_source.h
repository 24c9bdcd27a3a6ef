#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "panels/figure/figure.h"

namespace headroom {

/// One file of a probe and whose it is.
struct ProbeSource {
    std::string name;   ///< of the run, with the step where several of one run are shown
    std::string group;  ///< equal for runs that differ in their seed alone
    int color = 0;      ///< of the group
    int shade = 0;      ///< of the run within it
    std::filesystem::path file;
    FigureSource source;
    std::string repeats{};  ///< repeat_note() of a run that counts in no mean; else ""

    bool operator==(const ProbeSource&) const = default;
};

/// Whether `one`, a ProbeSource or another with a group and `repeats`, has the seed of a run of its
/// group that counts: then it is left out of the mean.
template <class Probed>
bool counts_already(const Probed& one, std::span<const Probed> all) {
    return !one.repeats.empty() && std::any_of(all.begin(), all.end(), [&](const Probed& other) {
        return other.group == one.group && other.repeats.empty();
    });
}

}  // namespace headroom
