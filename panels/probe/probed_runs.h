#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "panels/probe/probe_source.h"

namespace headroom {

/// A run whose probes can be shown.
struct ProbeableRun {
    std::string id, name;
    std::string group;
    std::string folder;
    int color = 0, shade = 0;
    bool has_checkpoint = false;

    bool operator==(const ProbeableRun&) const = default;
};

/// The newest probes of a kind that runs have, and which runs have none.
struct FoundProbes {
    std::vector<ProbeSource> sources;
    std::vector<ProbeableRun> missing;
};

/// Ids of the runs that could be probed: those with a checkpoint.
std::vector<std::string> ids_to_probe(const std::vector<ProbeableRun>& runs);

FoundProbes find_newest_probes(const std::vector<ProbeableRun>& runs, std::string_view kind);

}  // namespace headroom
