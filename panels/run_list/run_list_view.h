#pragma once

#include <string>
#include <vector>

#include "panels/base/study_look.h"

namespace headroom {

/// One run in the list of runs, ready to be shown.
struct RunListRow {
    std::string id;
    std::string name;  ///< within its group: "seed 2" under "skipv1"
    std::string tip;
    int color = 0, shade = 0;
    bool shown = true;
    bool reference = false;

    bool operator==(const RunListRow&) const = default;
};

/// Runs that differ in their seed alone; a run without such siblings is a group of one.
struct RunListGroup {
    std::string name;
    std::vector<RunListRow> rows;

    bool operator==(const RunListGroup&) const = default;
};

/// The runs in the order of the study, each group where its first run stands. Pure.
std::vector<RunListGroup> build_run_list(const StudyLook& look);

/// Whether a row is to be seen under this filter: every word of it, in whatever case, occurs in
/// the names of the run or of its group.
bool passes_filter(const RunListGroup& group, const RunListRow& row, const std::string& filter);

}  // namespace headroom
