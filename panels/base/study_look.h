#pragma once

#include <set>
#include <string>
#include <vector>

#include "panels/study/study_snapshot.h"

namespace headroom {

/// The open study and what of it a person looks at: the same for every panel. A panel of many runs
/// shows those with an open eye, a panel of one run the focused one, and every difference is taken
/// from the reference.
struct StudyLook {
    StudyPointer study;                 ///< null while none is open
    std::set<std::string> hidden;       ///< ids of runs whose eye is closed
    std::string reference;              ///< id; "" only where there is no run
    std::vector<std::string> selected;  ///< ids in the order of the study; the first is focused

    bool is_open() const { return study != nullptr; }
    bool is_shown(const std::string& id) const { return !hidden.contains(id); }
    /// In the order of the study; empty while none is open.
    const std::vector<RunPointer>& runs() const;
    /// nullptr where there is none.
    RunPointer run(const std::string& id) const { return study ? study->find(id) : nullptr; }
    RunPointer focused() const { return selected.empty() ? nullptr : run(selected[0]); }
    std::vector<RunPointer> shown_runs() const;
    /// The reference, then the selected runs, each once.
    std::vector<RunPointer> compared_runs() const;
};

}  // namespace headroom
