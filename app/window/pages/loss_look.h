#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "panels/base/study_look.h"
#include "panels/loss/loss_settings.h"

namespace headroom {

/// The group of the reference, with whose seeds others may be compared; none where there is none.
inline std::optional<std::string> reference_group(const StudyLook& look) {
    const RunPointer reference = look.run(look.reference);
    return reference ? std::optional(reference->group) : std::nullopt;
}

/// The runs of a page of curves: the shown ones, and those that they may be compared with though
/// they are not drawn.
inline std::vector<RunPointer> curve_runs(const StudyLook& look) {
    const std::optional<std::string> compared = reference_group(look);
    std::vector<RunPointer> runs;
    for (const RunPointer& run : look.runs())
        if (look.is_shown(run->id) || run->group == compared) runs.push_back(run);
    return runs;
}

/// The page's settings with what the run list says: who is not drawn, and who is compared with. Of
/// the reference's seeds of which some are shown, the mean leaves out the hidden ones alone.
inline LossSettings settings_of(LossSettings settings, const StudyLook& look) {
    settings.hidden.clear();
    settings.left_out.clear();
    const std::optional<std::string> compared = reference_group(look);
    bool any_shown = false;
    for (const RunPointer& run : look.runs())
        any_shown = any_shown || (run->group == compared && look.is_shown(run->id));
    for (const RunPointer& run : look.runs()) {
        if (run->group != compared || look.is_shown(run->id)) continue;
        if (settings.group_seeds && any_shown)
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
