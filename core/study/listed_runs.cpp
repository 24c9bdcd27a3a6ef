#include "core/study/listed_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/study/job_changes.h"
#include "core/study/job_paths.h"
#include "core/study/run_job.h"
#include "core/study/study_document.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

bool is_same_variant(Job a, Job b, const fs::path& study_dir) {
    make_paths_absolute(a, study_dir);
    make_paths_absolute(b, study_dir);
    a.name = b.name;
    a.seed = b.seed;
    return is_same_job(std::move(a), b);
}

/// An entry for `run` called `id`, its seeds still to be given. In a `document` with a sweep it
/// stands outside of that, in one with a budget it says its own steps.
ordered_json entry_of(const std::string& id, const StudyRun& run, const ordered_json& document,
                      const fs::path& study_dir) {
    ordered_json entry = {{"id", id}};
    if (document.contains("sweep")) entry["sweep"] = ordered_json::object();
    json changes =
        job_changes(json(document.value("job", ordered_json::object())), run.job, study_dir);
    if (document.contains("budget")) changes["train"]["steps"] = run.job.train.steps;
    if (run.job.name != run.variant && run.job.name != run.id) changes["name"] = run.job.name;
    if (!changes.empty()) entry["job"] = changes;
    return entry;
}

bool is_named_by_seed(const StudyRun& run) {
    return run.id == id_of_seed(run.variant, run.job.seed);
}

}  // namespace

ListedRuns::ListedRuns(ordered_json& document, fs::path study_dir)
    : document_(document),
      entries_(list_under(document, "runs")),
      study_dir_(std::move(study_dir)) {
    if (!entries_.empty()) runs_ = runs_listed_in(document);
}

void ListedRuns::add(const StudyRun& run) {
    if (const StudyRun* same = find(run.id)) {
        if (same->job.seed == run.job.seed && is_same_variant(same->job, run.job, study_dir_))
            return;
        throw UserError(fmt::format("the study has a run {} with another configuration", run.id),
                        "give the new runs another name");
    }
    const bool same_jobs = std::all_of(runs_.begin(), runs_.end(), [&](const StudyRun& other) {
        return other.variant != run.variant || is_same_variant(other.job, run.job, study_dir_);
    });
    if (!same_jobs || !join_variant(run)) add_alone(run);
    runs_.push_back(run);
}

void ListedRuns::put_back(const StudyRun& run) {
    if (has(run.id)) return;
    if (!join_variant(run)) add_alone(run);
    runs_.push_back(run);
}

void ListedRuns::adopt(const std::string& id) {
    add({id, id, load_run_job(StudyFolder{study_dir_}.run(id))});
}

const StudyRun* ListedRuns::find(const std::string& id) const {
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [&](const StudyRun& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

void ListedRuns::add_alone(const StudyRun& run) {
    entries_.push_back(entry_of(run.id, run, document_, study_dir_));
    entries_.back()["seed"] = run.job.seed;
}

/// As a further seed of its variant, or the first; false where their names are not those of seeds.
bool ListedRuns::join_variant(const StudyRun& run) {
    if (!is_named_by_seed(run)) return false;
    std::vector<int64_t> seeds;
    for (const StudyRun& other : runs_) {
        if (other.variant != run.variant) continue;
        if (!is_named_by_seed(other)) return false;
        seeds.push_back(other.job.seed);
    }
    ordered_json* entry = find_entry(entries_, "id", run.variant);
    if (!entry) {
        entries_.push_back(entry_of(run.variant, run, document_, study_dir_));
        entry = &entries_.back();
        seeds.clear();  // those of a sweep stay where they are
    }
    seeds.push_back(run.job.seed);
    (*entry)["seeds"] = seeds;
    return true;
}

}  // namespace headroom
