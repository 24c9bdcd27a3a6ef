#include "core/study/study_edit.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/config/job_json.h"
#include "core/study/figure_options.h"
#include "core/study/listed_runs.h"
#include "core/study/study_folder.h"
#include "core/study/sweep.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// `entry` of "runs" with the seeds that `kept` has of `variant`; null where it has none.
ordered_json with_kept_seeds(ordered_json entry, const std::string& variant,
                             const std::vector<StudyRun>& kept) {
    std::vector<int64_t> seeds;
    bool suffixed = false;
    for (const StudyRun& run : kept) {
        if (run.variant != variant) continue;
        seeds.push_back(run.job.seed);
        suffixed = run.id != run.variant;
    }
    if (seeds.empty()) return nullptr;
    if (suffixed) entry["seeds"] = seeds;
    return entry;
}

/// In place of "run:ENTRY" or "run:ENTRY@STEP" the point of an entry that has the same ones.
void name_point_of_source(json& job, const std::string& suffix,
                          const std::set<std::string>& alike) {
    constexpr std::string_view kRun = "run:";
    const json::json_pointer place("/train/init_from");
    if (!job.contains(place) || !job[place].is_string()) return;
    const auto source = job[place].get<std::string>();
    const std::string id = source.substr(0, source.find('@'));
    if (id.starts_with(kRun) && alike.contains(id.substr(kRun.size())))
        job[place] = id + suffix + source.substr(id.size());
}

/// Each point of a sweep as a run of its own, so that some of them can go.
/// What starts from an entry of `alike`, which have the same sweep, starts from that one's point.
std::vector<ordered_json> without_sweep(const ordered_json& entry, const ordered_json& sweep,
                                        const std::set<std::string>& alike) {
    std::vector<ordered_json> entries;
    for_each_point(json(sweep), entry.value("id", ""), "\"sweep\"",
                   [&](const std::string& suffix, const json& changes) {
                       ordered_json point = entry;
                       point["id"] = entry.value("id", "") + suffix;
                       json job = merged(json(entry.value("job", ordered_json::object())), changes);
                       if (!job.contains("name")) job["name"] = entry.value("id", "");
                       name_point_of_source(job, suffix, alike);
                       point["job"] = job;
                       point["sweep"] = ordered_json::object();
                       entries.push_back(std::move(point));
                   });
    return entries;
}

/// Leaves of every variant the seeds that `kept` has of it.
void keep_runs(ordered_json& document, const std::vector<StudyRun>& all,
               const std::vector<StudyRun>& kept) {
    const auto count = [](const std::vector<StudyRun>& runs, const std::string& entry) {
        return std::count_if(runs.begin(), runs.end(),
                             [&](const StudyRun& run) { return run.entry == entry; });
    };
    ordered_json& entries = list_under(document, "runs");
    const ordered_json old = entries;
    entries = ordered_json::array();
    const auto sweep_of = [&](const ordered_json& entry) {
        return entry.value("sweep", document.value("sweep", ordered_json::object()));
    };
    for (const ordered_json& entry : old) {
        const std::string id = entry.value("id", "");
        const ordered_json sweep = sweep_of(entry);
        if (count(kept, id) == count(all, id)) {
            entries.push_back(entry);
            continue;
        }
        std::set<std::string> alike;
        for (const ordered_json& other : old)
            if (sweep_of(other) == sweep) alike.insert(other.value("id", ""));
        const std::vector<ordered_json> points =
            sweep.empty() ? std::vector<ordered_json>{entry} : without_sweep(entry, sweep, alike);
        for (const ordered_json& point : points)
            if (ordered_json left = with_kept_seeds(point, point.value("id", ""), kept);
                !left.is_null())
                entries.push_back(std::move(left));
    }
}

/// Takes from pages the figures that are gone, and pages of fewer than two with them.
void keep_panels(ordered_json& figures) {
    const ordered_json all = figures;
    const auto is_gone = [&](const ordered_json& name) {
        return std::none_of(all.begin(), all.end(), [&](const ordered_json& figure) {
            return figure.value("name", ordered_json()) == name;
        });
    };
    for (size_t i = figures.size(); i-- > 0;) {
        if (!figures[i].contains("panels")) continue;
        ordered_json left = ordered_json::array();
        for (const ordered_json& name : figures[i]["panels"])
            if (!is_gone(name)) left.push_back(name);
        if (left.size() < 2)
            figures.erase(i);
        else
            figures[i]["panels"] = left;
    }
}

void keep_figures(ordered_json& document, const Study& study, const std::set<std::string>& gone) {
    if (!document.contains("figures")) return;
    ordered_json& entries = document["figures"];
    for (size_t i = study.figures.size(); i-- > 0;) {
        const StudyFigure& figure = study.figures[i];
        if (figure.all_runs || figure.recipe == kPanelsRecipe) continue;
        std::vector<std::string> runs;
        for (const std::string& id : figure.runs)
            if (!gone.contains(id)) runs.push_back(id);
        if (runs.size() == figure.runs.size()) continue;
        if (runs.empty())
            entries.erase(i);
        else
            entries[i]["runs"] = runs;
    }
    keep_panels(entries);
}

/// Claims about a variant that is gone go with it, and what was published of it.
void keep_claims(ordered_json& document, const Study& study, const std::vector<StudyRun>& kept) {
    const auto is_there = [&](const std::string& variant) {
        return std::any_of(kept.begin(), kept.end(),
                           [&](const StudyRun& run) { return run.variant == variant; });
    };
    for (size_t i = study.expect.size(); i-- > 0;)  // none without the key
        for (const ClaimStep& step : study.expect[i].steps)
            if (!is_there(step.left) || !is_there(step.right)) {
                document["expect"].erase(i);
                break;
            }
    if (!document.contains("published")) return;
    for (ordered_json& entry : document["published"])
        for (const StudyRun& run : study.runs)
            if (entry.contains("values") && !is_there(run.variant))
                entry["values"].erase(run.variant);
}

}  // namespace

void begin_study(const fs::path& study_dir) {
    make_folder(study_dir);
    change_study(study_dir, [](ordered_json&) {});
}

void add_runs(const fs::path& study_dir, const std::vector<StudyRun>& runs) {
    change_study(study_dir, [&](ordered_json& document) {
        ListedRuns list(document, study_dir);
        for (const StudyRun& run : runs) list.add(run);
    });
}

void raise_steps(const fs::path& study_dir, const std::map<std::string, int64_t>& steps) {
    change_study(study_dir, [&](ordered_json& document) {
        const int64_t common = parse_job(document.value("job", json::object()), "job").train.steps;
        for (ordered_json& entry : list_under(document, "runs")) {
            const auto raised = steps.find(entry.value("id", ""));
            if (raised == steps.end()) continue;
            const ordered_json job = entry.value("job", ordered_json::object());
            const ordered_json train = job.value("train", ordered_json::object());
            if (train.value("steps", common) < raised->second)
                entry["job"]["train"]["steps"] = raised->second;
        }
    });
}

StudyTexts remove_runs(const fs::path& study_dir, const std::vector<std::string>& ids) {
    const fs::path file = StudyFolder{study_dir}.plan();
    if (!fs::exists(file)) return {};
    return change_study(study_dir, [&](ordered_json& document) {
        const Study study = parse_study(json(document), file.string());
        const std::set<std::string> gone(ids.begin(), ids.end());  // imported ones are not listed
        std::vector<StudyRun> kept;
        for (const StudyRun& run : study.runs)
            if (!gone.contains(run.id)) kept.push_back(run);
        keep_figures(document, study, gone);
        keep_claims(document, study, kept);
        keep_runs(document, study.runs, kept);
    });
}

}  // namespace headroom
