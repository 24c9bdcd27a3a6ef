#include "app/study/study_runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/eprint.h"
#include "app/study/study_expand.h"
#include "core/base/error.h"
#include "core/study/job_paths.h"
#include "core/study/run_control.h"
#include "core/study/run_job.h"
#include "core/study/study_lock.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

void sleep_seconds(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::optional<ControlRequest> request_of(const RunFolder& run) {
    if (!std::filesystem::exists(run.control())) return std::nullopt;
    return ControlReader(run.root).poll();
}

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
    return std::filesystem::absolute(folder).lexically_normal();
}

bool is_queued(const RunFolder& run, const RunStatus& status,
               std::optional<ControlRequest> request) {
    switch (effective_phase(status.phase, request)) {
        case RunPhase::kFinished:  // its job asks for more by now
            return status.step < status.steps && request != ControlRequest::kStop &&
                   !is_imported(run);
        case RunPhase::kQueued:
        case RunPhase::kLost:
            return true;
        default:
            return false;
    }
}

/// The run of the same study whose checkpoint this one starts from, while that is not there.
std::optional<RunFolder> awaited(const RunFolder& run) {
    if (std::filesystem::exists(run.log())) return std::nullopt;  // it has started already
    try {
        const std::filesystem::path weights = load_run_job(run).train.init_from;
        const std::filesystem::path source = weights.parent_path().parent_path();
        if (source.parent_path() != absolute_folder(run.root).parent_path() ||
            std::filesystem::exists(weights))
            return std::nullopt;
        return RunFolder{source};
    } catch (const std::exception&) {  // its worker says what is wrong
        return std::nullopt;
    }
}

/// What a run reads and nobody will have made when its turn comes: then it need not be begun.
std::vector<std::string> missing_files_of(const RunFolder& run) {
    try {
        return missing_files(load_run_job(run), run.root);
    } catch (const std::exception&) {  // its worker says what is wrong
        return {};
    }
}

}  // namespace

int request_stop(const std::filesystem::path& study_dir) {
    // Those that wait first: else one of them begins when the one at work has ended.
    std::vector<RunFolder> waiting, at_work;
    for (const RunFolder& run : list_runs(study_dir)) {
        const RunPhase phase = run_status(run.root).phase;
        if (is_final(phase)) continue;
        (phase == RunPhase::kQueued ? waiting : at_work).push_back(run);
    }
    for (const std::vector<RunFolder>* runs : {&waiting, &at_work})
        for (const RunFolder& run : *runs) write_request(run.root, ControlRequest::kStop);
    return static_cast<int>(waiting.size() + at_work.size());
}

void requeue(const std::filesystem::path& study_dir) {
    for (const RunFolder& run : list_runs(study_dir)) {
        const RunPhase phase = run_status(run.root).phase;
        if (phase == RunPhase::kFailed || phase == RunPhase::kStopped)
            write_request(run.root, ControlRequest::kRun);
        else if (request_of(run) == ControlRequest::kStop && !is_worker_alive(run.root))
            clear_request(run.root);
    }
}

StudyRunner::StudyRunner(std::filesystem::path study_dir, StudyRunnerOptions options)
    : study_dir_(std::move(study_dir)),
      options_(std::move(options)),
      at_work_(options_.slots.size()) {
    if (!options_.say) options_.say = [](const std::string& line) { eprint("{}\n", line); };
}

std::vector<RunFolder> StudyRunner::queued() const {
    const std::vector<std::string> order =
        options_.order ? options_.order() : std::vector<std::string>();
    std::vector<RunFolder> runs;
    for (const RunFolder& run : list_runs_in_order(study_dir_, order)) {
        const RunStatus status = run_status(run.root);
        const auto request = request_of(run);
        if (is_queued(run, status, request) && !is_worker_alive(run.root) &&
            !unstartable_.contains(run.root) &&
            (!tried_.contains({run.root, status.steps}) || request == ControlRequest::kRun))
            runs.push_back(run);
    }
    return runs;
}

std::vector<RunFolder> StudyRunner::first_ready(const std::vector<RunFolder>& queued,
                                                size_t count) {
    std::vector<RunFolder> ready;
    for (const RunFolder& run : queued) {
        if (ready.size() == count) break;
        if (!awaited(run) && missing_files_of(run).empty()) ready.push_back(run);
    }
    return ready;
}

bool StudyRunner::run_all(const std::function<bool()>& interrupted) {
    all_finished_ = true;
    do {
        const std::optional<StudyLock> lock = StudyLock::try_acquire(study_dir_);
        if (!lock)
            throw UserError(
                fmt::format("{}: process {} works on this study already", study_dir_.string(),
                            StudyLock::holder(study_dir_).value_or(0)),
                "it finds what is added meanwhile, by the studio or in study.json; headroom study "
                "status shows how far it is");
        run_queue(interrupted);
        // A run that was queued just before the lock was let go must not be forgotten: look again.
    } while (!interrupted() && !first_ready(queued(), 1).empty());
    if (!interrupted()) say_what_waits();
    return all_finished_ && !interrupted();
}

void StudyRunner::run_queue(const std::function<bool()>& interrupted) {
    constexpr std::chrono::seconds kBetweenLooks(2);  // at the queue, while a slot is free
    Clock::time_point next_look{};
    while (!interrupted()) {
        if (take_in_what_ended()) next_look = {};
        if (Clock::now() >= next_look) {
            if (options_.update) options_.update();
            while (!start_what_can()) {
            }
            if (workers() + foreign_workers() == 0) {
                if (!options_.next || !options_.next()) return;
                continue;
            }
            next_look = Clock::now() + kBetweenLooks;
        }
        for (std::optional<RunWorker>& worker : at_work_)
            if (worker) worker->report(options_.report_seconds, options_.say);
        sleep_seconds(options_.poll_seconds);
    }
    for (std::optional<RunWorker>& worker : at_work_)
        if (worker) worker->give_up();  // all of them before the first is waited for
    for (std::optional<RunWorker>& worker : at_work_) {
        if (worker) worker->finish(options_.say);
        worker.reset();
    }
}

/// Fills the free slots. Workers that an earlier scheduler left behind count: their turn comes
/// first. False where one did not start, so that another may have its slot.
bool StudyRunner::start_what_can() {
    const size_t busy = workers() + foreign_workers();
    if (busy >= at_work_.size()) return true;
    const std::vector<RunFolder> all = queued(), runs = first_ready(all, at_work_.size() - busy);
    size_t taken = 0, waiting = all.size();
    bool all_started = true;
    for (size_t slot = 0; slot < at_work_.size() && taken < runs.size(); ++slot) {
        if (at_work_[slot]) continue;
        const RunFolder& run = runs[taken++];
        tried_.insert({run.root, run_status(run.root).steps});
        options_.say(fmt::format("{}: starting ({} more in the queue)",
                                 run.root.filename().string(), --waiting));
        try {
            at_work_[slot].emplace(options_.headroom, run, options_.slots[slot]);
        } catch (const std::exception& error) {  // its folder is damaged, or gone by now
            options_.say(
                fmt::format("{}: not started: {}", run.root.filename().string(), error.what()));
            if (request_of(run) == ControlRequest::kRun) unstartable_.insert(run.root);
            all_started = all_finished_ = false;
        }
    }
    return all_started;
}

/// Whether a slot has become free.
bool StudyRunner::take_in_what_ended() {
    bool any = false;
    for (std::optional<RunWorker>& worker : at_work_) {
        if (!worker || !worker->has_ended()) continue;
        all_finished_ &= worker->finish(options_.say);
        worker.reset();
        any = true;
    }
    return any;
}

void StudyRunner::say_what_waits() {
    for (const RunPhase ended : {RunPhase::kStopped, RunPhase::kFailed}) {
        size_t runs = 0;
        for (const RunFolder& run : list_runs(study_dir_))
            runs += effective_phase(run_status(run.root).phase, request_of(run)) == ended;
        if (runs == 0) continue;
        all_finished_ = false;
        options_.say(fmt::format("{} {} run{} not taken up; --retry does", runs, name_of(ended),
                                 runs == 1 ? "" : "s"));
    }
    std::map<std::string, std::vector<std::string>> without;  // by the file: runs
    for (const RunFolder& run : queued()) {
        for (const std::string& file : missing_files_of(run))
            without[file].push_back(run.root.filename().string());
        const std::optional<RunFolder> source = awaited(run);
        if (!source) continue;
        all_finished_ = false;
        options_.say(fmt::format("{}: not started, for it starts from {}, and {} is {}",
                                 run.root.filename().string(), load_run_job(run).train.init_from,
                                 source->root.filename().string(),
                                 name_of(run_status(source->root).phase)));
    }
    for (const auto& [file, runs] : without) {
        all_finished_ = false;
        options_.say(fmt::format("{} run{} not started, for {} does not exist: {}", runs.size(),
                                 runs.size() == 1 ? "" : "s", file, fmt::join(runs, ", ")));
    }
}

size_t StudyRunner::workers() const {
    return static_cast<size_t>(std::count_if(at_work_.begin(), at_work_.end(),
                                             [](const auto& worker) { return !!worker; }));
}

size_t StudyRunner::foreign_workers() const {
    const auto is_ours = [this](const RunFolder& run) {
        return std::any_of(at_work_.begin(), at_work_.end(), [&](const auto& worker) {
            return worker && worker->run().root == run.root;
        });
    };
    size_t count = 0;
    for (const RunFolder& run : list_runs(study_dir_))
        count += !is_ours(run) && is_worker_alive(run.root) ? 1 : 0;
    return count;
}

}  // namespace headroom
