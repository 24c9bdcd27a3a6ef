#include "core/study/job_paths.h"

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>

#include "core/config/probe_schema.h"
#include "core/data/data_paths.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

fs::path normal(const fs::path& path) {
    return fs::absolute(path).lexically_normal();
}

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path way = path.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
}

/// The study that a job in `folder` belongs to: the folder's own, or that of a run's folder.
fs::path study_around(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(StudyFolder{folder}.plan(), ignored) ? folder : study_of(folder);
}

std::string absolute_path(const std::string& text, const fs::path& folder) {
    const fs::path path = text;
    if (path.empty() || path.is_absolute()) return text;
    const fs::path beside_job = normal(folder / path), here = normal(path);
    // A checkpoint of the study's own may be still to come; another study's is no substitute.
    const fs::path study = study_around(folder);
    const bool is_own = !study.empty() && lies_in(beside_job, normal(StudyFolder{study}.runs()));
    std::error_code ignored;
    const bool use_here = !is_own && !fs::exists(beside_job, ignored) && fs::exists(here, ignored);
    return (use_here ? here : beside_job).string();
}

void change_job_paths(Job& job, const std::function<std::string(const std::string&)>& change) {
    for (std::string* spec : {&job.data.train, &job.data.val, &job.data.tokenizer})
        *spec = change_paths(*spec, change);
    if (job.train.starts_from_file()) job.train.init_from = change(job.train.init_from);
    for (ProbeConfig& probe : job.probes)
        for (const ProbeOption& option : find_probe_schema(probe.kind)->options)
            if (option.names_tasks && probe.values.has(option.name))
                probe.values.set(
                    option.name,
                    change_task_paths(probe.values.get<std::string>(option.name), change));
}

}  // namespace

void make_paths_absolute(Job& job, const fs::path& folder) {
    const fs::path from = folder.empty() ? "." : folder;
    change_job_paths(job, [&](const std::string& path) { return absolute_path(path, from); });
}

std::vector<std::string> missing_files(const Job& job, const fs::path& run_dir) {
    std::vector<std::string> missing;
    const fs::path runs = normal(run_dir).parent_path();
    Job seen = job;
    change_job_paths(seen, [&](const std::string& path) {
        std::error_code ignored;
        const bool is_absent = fs::path(path).is_absolute() && !fs::exists(path, ignored);
        if (is_absent && !(path == job.train.init_from && lies_in(path, runs)) &&
            std::find(missing.begin(), missing.end(), path) == missing.end())
            missing.push_back(path);
        return path;
    });
    return missing;
}

void make_paths_movable(Job& job, const fs::path& study_dir, const fs::path& folder) {
    const fs::path study = normal(study_dir / ""), from = normal(folder / "");
    change_job_paths(job, [&](const std::string& text) {
        const fs::path path = fs::path(text).lexically_normal();
        if (!path.is_absolute() || !lies_in(path, study)) return text;
        return path.lexically_relative(from).string();
    });
}

}  // namespace headroom
