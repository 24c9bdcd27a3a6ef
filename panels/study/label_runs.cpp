#include "panels/study/label_runs.h"

#include <algorithm>
#include <set>
namespace headroom {

static std::set<std::string> groups_of(const StudySnapshot& study,
                                       const std::vector<std::string>& ids) {
    std::set<std::string> groups;
    for (const std::string& id : ids)
        if (const RunPointer run = study.find(id)) groups.insert(run->group);
    return groups;
}

std::map<std::string, RunLabel> label_runs(const StudySnapshot& study,
                                           const std::vector<std::string>& ids,
                                           const LabelChange& change) {
    const std::set<std::string> groups = groups_of(study, ids);
    std::map<std::string, RunLabel> before;
    change_labels(study.folder, [&](StudyLabels& labels) {
        for (const RunPointer& run : study.runs)
            if (groups.contains(run->group)) before[run->id] = labels.runs[run->id];
        for (const RunPointer& run : study.runs) {
            if (!groups.contains(run->group)) continue;
            RunLabel& label = labels.runs[run->id];
            if (change.color) label.color = change.color;
            if (change.name) label.name = *change.name;
        }
        for (const std::string& id : ids) {
            RunLabel& label = labels.runs[id];
            if (change.note) label.note = *change.note;
            for (const std::string& tag : change.untags) std::erase(label.tags, tag);
            for (const std::string& tag : change.tags)
                if (std::find(label.tags.begin(), label.tags.end(), tag) == label.tags.end())
                    label.tags.push_back(tag);
        }
    });
    return before;
}

void put_labels(const std::filesystem::path& study_dir,
                const std::map<std::string, RunLabel>& labels) {
    change_labels(study_dir, [&](StudyLabels& all) {
        for (const auto& [id, label] : labels) all.runs[id] = label;
    });
}

}  // namespace headroom
