#include "panels/probe/probed_runs.h"

#include "core/probe/probe_list.h"

namespace headroom {

std::vector<std::string> ids_to_probe(const FoundProbes& found) {
    std::vector<std::string> ids;
    for (const ProbeableRun& run : found.missing)
        if (run.has_checkpoint()) ids.push_back(run.id);
    for (const auto& [run, step] : found.outdated) ids.push_back(run.id);
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
        ProbeSource source{run.name, run.group, run.color, run.shade, file->path, {}, run.repeats};
        source.source.run = run.id;
        source.source.folder = run.folder;
        found.sources.push_back(std::move(source));
        if (file->step >= 0 && file->step < run.newest_checkpoint)
            found.outdated.emplace_back(run, file->step);
    }
    return found;
}

}  // namespace headroom
