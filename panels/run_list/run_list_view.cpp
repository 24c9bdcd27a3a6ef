#include "panels/run_list/run_list_view.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace headroom {
namespace {

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

RunListRow row_of(const StudyLook& look, const Run& run) {
    RunListRow row;
    row.id = run.id;
    row.name = run.name;
    row.tip = run.name == run.id ? run.name : run.name + "\n" + run.id;
    row.color = run.color;
    row.shade = run.shade;
    row.shown = look.is_shown(run.id);
    row.reference = look.reference == run.id;
    return row;
}

/// Under the heading of the group its name need not be said again.
void shorten(RunListGroup& group) {
    if (group.rows.size() < 2) return;
    for (RunListRow& row : group.rows) {
        const std::string prefix = group.name + ", ";
        if (row.name.starts_with(prefix)) row.name = row.name.substr(prefix.size());
    }
}

}  // namespace

std::vector<RunListGroup> build_run_list(const StudyLook& look) {
    std::vector<RunListGroup> groups;
    for (const RunPointer& run : look.runs()) {
        auto at = std::find_if(groups.begin(), groups.end(),
                               [&](const RunListGroup& group) { return group.name == run->group; });
        if (at == groups.end()) at = groups.insert(at, RunListGroup{run->group, {}});
        at->rows.push_back(row_of(look, *run));
    }
    for (RunListGroup& group : groups) shorten(group);
    return groups;
}

bool passes_filter(const RunListGroup& group, const RunListRow& row, const std::string& filter) {
    const std::string text = lower(group.name + " " + row.name + " " + row.id);
    std::istringstream words(lower(filter));
    for (std::string word; words >> word;)
        if (text.find(word) == std::string::npos) return false;
    return true;
}

}  // namespace headroom
