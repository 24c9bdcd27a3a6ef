#include "core/study/study_restore.h"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/study/folder_lock.h"
#include "core/study/listed_runs.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Where the entry called `name` of `before` belongs in `figures`: behind the nearest one that it
/// followed.
ordered_json::iterator place_of(const ordered_json& before, const std::string& name,
                                ordered_json& figures) {
    ordered_json::iterator place = figures.begin();
    for (const ordered_json& other : before) {
        const std::string other_name = other.value("name", "");
        if (other_name == name) break;
        for (auto it = figures.begin(); it != figures.end(); ++it)
            if (it->value("name", "") == other_name) place = it + 1;
    }
    return place;
}

/// The figures of `before` that `after` lacks, or has with fewer runs, unless somebody has made
/// others of these names since.
void put_figures_back(ordered_json& document, const ordered_json& before, ordered_json after) {
    if (!before.contains("figures")) return;
    ordered_json& figures = list_under(document, "figures");
    for (const ordered_json& figure : before["figures"]) {
        const std::string name = figure.value("name", "");
        ordered_json* left = find_entry(list_under(after, "figures"), "name", name);
        ordered_json* now = find_entry(figures, "name", name);
        if (now && left && *now == *left)
            *now = figure;
        else if (!now && !left)
            figures.insert(place_of(before["figures"], name, figures), figure);
    }
}

void put_back(ordered_json& document, const ordered_json& before, const ordered_json& after,
              const fs::path& study_dir) {
    std::set<std::string> left;
    for (const StudyRun& run : runs_listed_in(after)) left.insert(run.id);
    ListedRuns list(document, study_dir);
    for (const StudyRun& run : runs_listed_in(before))
        if (!left.contains(run.id)) list.put_back(run);
    put_figures_back(document, before, after);
    for (const char* key : {"expect", "published"})
        if (before.contains(key) &&
            document.value(key, ordered_json()) == after.value(key, ordered_json()))
            document[key] = before[key];
}

}  // namespace

void restore_study(const fs::path& study_dir, const StudyTexts& change) {
    const fs::path file = StudyFolder{study_dir}.plan();
    {
        const FileDescriptor lock = lock_folder(study_dir);
        if (!fs::exists(file)) return;
        if (read_text(file) == change.after) return write_file_atomically(file, change.before);
    }
    const ordered_json before = parse_ordered_json(change.before, "study.json as it was"),
                       after = parse_ordered_json(change.after, "study.json after the change");
    change_study(study_dir,
                 [&](ordered_json& document) { put_back(document, before, after, study_dir); });
}

}  // namespace headroom
