#pragma once

#include <algorithm>

#include "panels/base/study_look.h"
#include "panels/probe/probed_runs.h"

namespace headroom {

inline ProbeableRun probeable(const Run& run) {
    return {run.id,
            run.name,
            run.group,
            run.folder.string(),
            run.color,
            run.shade,
            run.checkpoints.empty() ? -1 : run.checkpoints.back().step,
            repeat_note(run)};
}

/// The shown runs for panels of probes.
inline std::vector<ProbeableRun> probeable_runs(const StudyLook& look) {
    std::vector<ProbeableRun> runs;
    for (const RunPointer& run : look.shown_runs()) runs.push_back(probeable(*run));
    return runs;
}

inline std::vector<std::string> ids_of(const std::vector<ProbeableRun>& runs) {
    std::vector<std::string> ids;
    for (const ProbeableRun& run : runs) ids.push_back(run.id);
    return ids;
}

/// Those with one of these ids.
inline std::vector<ProbeableRun> named_runs(const std::vector<ProbeableRun>& runs,
                                            const std::vector<std::string>& ids) {
    std::vector<ProbeableRun> named;
    for (const ProbeableRun& run : runs)
        if (std::find(ids.begin(), ids.end(), run.id) != ids.end()) named.push_back(run);
    return named;
}

}  // namespace headroom
