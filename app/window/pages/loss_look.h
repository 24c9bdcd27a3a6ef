#pragma once

#include <vector>

#include "panels/base/study_look.h"
#include "panels/loss/loss_settings.h"

namespace headroom {

/// The runs of a page of curves: the shown ones, and the reference, which others may be compared
/// with though it is not drawn.
inline std::vector<RunPointer> curve_runs(const StudyLook& look) {
    std::vector<RunPointer> runs;
    for (const RunPointer& run : look.runs())
        if (look.is_shown(run->id) || run->id == look.reference) runs.push_back(run);
    return runs;
}

/// The page's settings with what the run list says: who is not drawn, and who is compared with.
inline LossSettings settings_of(LossSettings settings, const StudyLook& look) {
    settings.hidden.clear();
    if (const RunPointer run = look.run(look.reference); run && !look.is_shown(run->id))
        settings.hidden.insert(settings.group_seeds ? run->group : run->id);
    if (!settings.baseline.empty() && look.is_open()) settings.baseline = look.reference;
    return settings;
}

/// Whether the run list says the same in both.
inline bool same_look(const LossSettings& a, const LossSettings& b) {
    return a.hidden == b.hidden && a.baseline == b.baseline;
}

}  // namespace headroom
