#include "app/window/study_scan.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "app/study/study_lock.h"
#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/config/job_json.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"

namespace headroom {

namespace fs = std::filesystem;

RunEntryPointer StudySnapshot::find(const std::string& id) const {
    const auto at =
        std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run->id == id; });
    return at == runs.end() ? nullptr : *at;
}

static bool looks_like_study(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / "study.json", ignored) ||
           fs::is_directory(folder / "runs", ignored);
}

std::string why_not_a_study(const fs::path& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) return fmt::format("{}: there is no such folder", folder.string());
    if (!fs::is_directory(status))
        return fmt::format("{} is a file; open the study folder that it belongs to",
                           folder.string());
    if (looks_like_study(folder)) return "";
    const bool is_empty = fs::is_empty(folder, error);
    if (error) return fmt::format("{} cannot be read: {}", folder.string(), error.message());
    if (is_empty) return "";
    return fmt::format(
        "{} is not a study: it has neither study.json nor a runs folder; open a "
        "study folder or an empty one for a new study",
        folder.string());
}

fs::path study_around(const fs::path& path) {
    std::error_code ignored;
    fs::path folder = fs::weakly_canonical(path, ignored);
    // A study.json, a run in runs/, a file in a run, a checkpoint: at most four folders deep.
    for (int depth = 0; depth < 5 && !folder.empty(); ++depth) {
        if (fs::is_directory(folder, ignored) && looks_like_study(folder)) return folder;
        if (folder == folder.parent_path()) break;
        folder = folder.parent_path();
    }
    return {};
}

void StudyScanner::read_job(const fs::path& file, Known& known) const {
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (error || (time == known.job_time && (known.job || !known.job_problem.empty()))) return;
    known.job_time = time;
    known.job.reset();
    known.job_problem.clear();
    try {
        known.job = std::make_shared<const Job>(load_job(file));
    } catch (const std::exception& problem) {
        known.job_problem = problem.what();
    }
}

/// An ISO 8601 time in this machine's zone; anything else as it is.
static std::string local_time(const std::string& iso) {
    const QDateTime time = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODate);
    return time.isValid() ? time.toLocalTime().toString(Qt::ISODate).toStdString() : iso;
}

RunEntryPointer StudyScanner::look_at_run(const fs::path& folder) {
    const RunFolder run{folder};
    auto entry = std::make_shared<RunEntry>();
    entry->id = folder.filename().string();
    entry->folder = folder;
    Known& known = known_[entry->id];
    read_job(run.job(), known);
    entry->job = known.job;
    entry->status = run_status(folder);
    if (entry->status.problem.empty()) entry->status.problem = known.job_problem;
    try {
        if (const auto worker = read_worker_info(folder))
            entry->started = local_time(worker->started);
        entry->checkpoints = list_checkpoints(run.checkpoints());
        if (fs::exists(run.control())) entry->request = ControlReader(folder).poll();
    } catch (const std::exception& problem) {
        if (entry->status.problem.empty()) entry->status.problem = problem.what();
    }
    return entry;
}

/// Adds the runs of study.json that have no folder yet, for nobody has started the queue.
void StudyScanner::read_plan(StudySnapshot& study) {
    const fs::path file = folder_ / "study.json";
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (error) return;
    if (time != plan_time_) {
        plan_time_ = time;
        plan_.clear();
        plan_problem_.clear();
        try {
            const Study plan = load_study(file);
            plan_name_ = plan.name;
            for (const StudyRun& run : plan.runs) {
                auto entry = std::make_shared<RunEntry>();
                entry->id = run.id;
                entry->folder = folder_ / "runs" / run.id;
                entry->planned = true;
                entry->job = std::make_shared<const Job>(run.job);
                entry->status.name = run.job.name;
                entry->status.steps = run.job.train.steps;
                entry->status.loss = entry->status.val_loss = std::nan("");
                plan_.push_back(std::move(entry));
            }
        } catch (const std::exception& problem) {
            plan_problem_ = problem.what();
        }
    }
    if (!plan_name_.empty()) study.name = plan_name_;
    study.problem = plan_problem_;
    for (const RunEntryPointer& run : plan_)
        if (!study.find(run->id)) study.runs.push_back(run);
}

StudyPointer StudyScanner::look() {
    auto study = std::make_shared<StudySnapshot>();
    study->folder = folder_;
    study->name = folder_.filename().string();
    try {
        study->problem = why_not_a_study(folder_);
        if (!study->problem.empty()) return study;
        for (const RunFolder& run : list_runs(folder_))
            study->runs.push_back(look_at_run(run.root));
        read_plan(*study);
        study->scheduler_alive = StudyLock::holder(folder_).has_value();
    } catch (const std::exception& error) {
        study->problem = error.what();
    }
    return study;
}

}  // namespace headroom
