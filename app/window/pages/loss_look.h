#pragma once

#include <set>
#include <string>
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

/// The page's settings with what the run list says: who is not drawn, and who is compared with. Of
/// a hidden reference whose other seeds are shown, the mean over seeds leaves out that one alone.
inline LossSettings settings_of(LossSettings settings, const StudyLook& look) {
    settings.hidden.clear();
    settings.left_out.clear();
    if (const RunPointer run = look.run(look.reference); run && !look.is_shown(run->id)) {
        bool others = false;
        for (const RunPointer& other : look.runs())
            others = others || (other->group == run->group && look.is_shown(other->id));
        if (settings.group_seeds && others)
            settings.left_out.insert(run->id);
        else
            settings.hidden.insert(settings.group_seeds ? run->group : run->id);
    }
    if (!settings.baseline.empty() && look.is_open()) settings.baseline = look.reference;
    return settings;
}

/// Whether the run list says the same in both.
inline bool same_look(const LossSettings& a, const LossSettings& b) {
    return a.hidden == b.hidden && a.left_out == b.left_out && a.baseline == b.baseline;
}

/// The runs that the run list hides once the page has these settings; `hidden` are those until now.
inline std::set<std::string> hidden_runs(const LossSettings& settings,
                                         const std::vector<RunPointer>& runs,
                                         std::set<std::string> hidden) {
    for (const RunPointer& run : runs)
        if (settings.hidden.contains(settings.group_seeds ? run->group : run->id))
            hidden.insert(run->id);
        else if (!settings.left_out.contains(run->id))
            hidden.erase(run->id);
    return hidden;
}

}  // namespace headroom
