#include "panels/study/run_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/study/job_paths.h"
#include "core/study/run_job.h"

namespace headroom {

namespace fs = std::filesystem;

namespace {

bool same_number(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool same_status(const RunStatus& a, const RunStatus& b) {
    return a.phase == b.phase && a.name == b.name && a.step == b.step && a.steps == b.steps &&
           same_number(a.loss, b.loss) && same_number(a.val_loss, b.val_loss) &&
           same_number(a.val_accuracy, b.val_accuracy) && a.seconds == b.seconds &&
           a.tokens_per_second == b.tokens_per_second &&
           a.remaining_seconds == b.remaining_seconds && a.problem == b.problem;
}

/// Of a job that this version cannot take over whole.
int64_t steps_of(const JobIdentity& job) {
    const auto steps = job.keys.find("train.steps");
    return steps == job.keys.end() ? 0 : std::strtoll(steps->second.c_str(), nullptr, 10);
}

bool same_files(const std::vector<CheckpointFiles>& a, const std::vector<CheckpointFiles>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.weights == y.weights; });
}

}  // namespace

RunReader::RunReader(fs::path folder, Rows rows)
    : folder_{std::move(folder)}, rows_(rows), control_(folder_.root) {
    run_.folder = folder_.root;
    run_.id = folder_.root.filename().string();
    run_.status.name = run_.id;
    run_.status.loss = run_.status.val_loss = std::nan("");
}

RunReader::~RunReader() = default;

bool RunReader::poll() {
    bool changed = read_job();
    changed = read_log(false) || changed;
    changed = read_worker() || changed;
    changed = read_checkpoints() || changed;
    changed = read_request() || changed;
    return judge() || changed;
}

bool RunReader::read_job() {
    if (!job_.changed(folder_.job())) return false;
    std::error_code ignored;
    if (!fs::exists(folder_.job(), ignored)) return false;
    std::shared_ptr<const Job> job;
    JobIdentity identity;
    std::string problem;
    try {
        const nlohmann::json document = load_json(folder_.job());
        identity = identify(dump_text(document));
        if (!document.contains(kImportedFrom)) {
            job = std::make_shared<const Job>(
                parse_run_job(folder_, document, folder_.job().string()));
            identity = identify(*job);
        }
    } catch (const std::exception& error) {
        problem = error.what();
    }
    // A file that is broken as it was: what the log says of the job stands.
    if (job_is_of_log_ && identity.keys.empty() && problem == job_problem_) return false;
    const bool same = run_.job && job ? *run_.job == *job : run_.job == job;
    if (same && problem == job_problem_ && identity_.keys == identity.keys) return false;
    run_.job = std::move(job);
    run_.seed = identity.seed;
    identity_ = std::move(identity);
    ++identity_changes_;
    job_problem_ = std::move(problem);
    job_is_of_log_ = false;
    if (tail_) take_job_where_none_is(*tail_);
    return true;
}

bool RunReader::read_log(bool all_rows) {
    if (rows_ == Rows::kNone) return false;
    const std::string problem_before = std::exchange(run_.log_problem, "");
    bool changed = false;
    try {
        std::error_code ignored;
        if (!log_ && fs::exists(folder_.log(), ignored)) {
            log_ = open_series(folder_.log(), RowsIn::kLog);
            unread_ = rows_ == Rows::kAll;
        }
        if (log_ && (rows_ == Rows::kEnd || (unread_ && !all_rows))) {
            take_tail(log_->tail());
        } else if (log_ && log_->poll(series_)) {
            unread_ = false;
            run_.series = std::make_shared<const RunSeries>(series_);
            take_tail(tail_of(series_));
            changed = true;
        }
    } catch (const std::exception& error) {
        log_.reset();
        tail_.reset();
        series_ = {};  // a new reader starts anew; what was read stays on the screen
        unread_ = false;
        run_.log_problem = error.what();
    }
    return changed || run_.log_problem != problem_before;
}

void RunReader::take_tail(RunTail tail) {
    run_.started_unix = parse_iso_time(tail.attributes.started);
    take_job_where_none_is(tail);
    tail_ = std::move(tail);
}

void RunReader::take_job_where_none_is(const RunTail& tail) {
    if (identity_.keys.empty() && !job_is_of_log_ && !tail.attributes.job_json.empty())
        take_job_of_log(tail.attributes.job_json);
}

/// Of a run without job.json, such as another program's; it may be anybody's.
void RunReader::take_job_of_log(const std::string& job_json) {
    identity_ = identify(job_json);
    ++identity_changes_;
    job_is_of_log_ = true;
    try {
        run_.job = std::make_shared<const Job>(
            parse_run_job(folder_, parse_json(job_json, "the log's job"), ""));
        identity_ = identify(*run_.job);  // with all keys, as that of a job file
    } catch (const std::exception&) {
        run_.job.reset();
    }
    run_.seed = identity_.seed;
}

void RunReader::poll_rows() {
    read_log(true);
    judge();
}

bool RunReader::read_worker() {
    if (!worker_.changed(folder_.worker())) return false;
    const auto worker = read_worker_info(folder_.root);
    const std::string started = worker ? local_iso_time(worker->started) : "";
    return std::exchange(run_.started, started) != started;
}

bool RunReader::read_checkpoints() {
    if (!checkpoints_.changed(folder_.checkpoints())) return false;
    std::vector<CheckpointFiles> files;
    try {
        files = list_checkpoints(folder_.checkpoints());
    } catch (const std::exception&) {
        files.clear();  // the folder cannot be read: as if there were none
    }
    if (same_files(files, run_.checkpoints)) return false;
    run_.checkpoints = std::move(files);
    return true;
}

bool RunReader::read_request() {
    std::error_code ignored;
    std::optional<ControlRequest> request;
    if (fs::exists(folder_.control(), ignored)) request = control_.poll();
    return std::exchange(run_.request, request) != request;
}

bool RunReader::judge() {
    RunKnowledge known;
    known.name = run_.job ? run_.job->name : identity_.name;
    known.steps = run_.job ? run_.job->train.steps : steps_of(identity_);
    known.job_problem = job_problem_;
    known.log = tail_;
    known.log_problem = run_.log_problem;
    if (run_.job && !tail_) known.missing_files = missing_files(*run_.job, folder_.root);
    RunStatus status = run_status(folder_.root, known);
    if (same_status(status, run_.status)) return false;
    if (progress_of(status) != progress_of(run_.status)) ++identity_changes_;
    run_.status = std::move(status);
    return true;
}

}  // namespace headroom
