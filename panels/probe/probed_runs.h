#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panels/probe/probe_source.h"

namespace headroom {

/// A run whose probes can be shown.
struct ProbeableRun {
    std::string id, name;
    std::string group;
    std::string folder;
    int color = 0, shade = 0;
    int64_t newest_checkpoint = -1;  ///< its step; -1: there is none
    std::string repeats{};           ///< repeat_note() of a run that counts in no mean; else ""

    bool has_checkpoint() const { return newest_checkpoint >= 0; }
    bool operator==(const ProbeableRun&) const = default;
};

/// The newest probes of a kind that runs have, which runs have none, and which have trained on
/// since: their probe is shown, and not what they are.
struct FoundProbes {
    std::vector<ProbeSource> sources;
    std::vector<ProbeableRun> missing;
    std::vector<std::pair<ProbeableRun, int64_t>> outdated;  ///< with the step of their probe

    bool operator==(const FoundProbes&) const = default;
};

/// Ids of the runs that could be probed: those with a checkpoint and no probe of it.
std::vector<std::string> ids_to_probe(const FoundProbes& found);

FoundProbes find_newest_probes(const std::vector<ProbeableRun>& runs, std::string_view kind);

}  // namespace headroom
