#include "panels/probe/probed_runs.h"

#include "core/probe/probe_list.h"

namespace headroom {

std::vector<std::string> ids_to_probe(const std::vector<ProbeableRun>& runs) {
    std::vector<std::string> ids;
    for (const ProbeableRun& run : runs)
        if (run.has_checkpoint) ids.push_back(run.id);
    return ids;
}

FoundProbes find_newest_probes(const std::vector<ProbeableRun>& runs, std::string_view kind) {
    FoundProbes found;
    for (const ProbeableRun& run : runs) {
        const auto file = find_probe_file(run.folder, std::string(kind), -1);
        if (!file) {
            found.missing.push_back(run);
            continue;
        }
        ProbeSource source{run.name, run.group, run.color, run.shade, file->path, {}};
        source.source.run = run.id;
        source.source.folder = run.folder;
        found.sources.push_back(std::move(source));
    }
    return found;
}

}  // namespace headroom
