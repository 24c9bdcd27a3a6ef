#include "app/study/study_runner.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/study/child_process.h"
#include "app/study/study_expand.h"
#include "app/study/study_status.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
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

bool is_queued(const RunFolder& run) {
    const auto request = request_of(run);
    const RunStatus status = run_status(run.root);
    switch (status.phase) {
        case RunPhase::kFinished:  // its job asks for more by now
            return status.step < status.steps && request != ControlRequest::kStop;
        case RunPhase::kQueued:
        case RunPhase::kLost:
            return request != ControlRequest::kStop;
        case RunPhase::kFailed:
        case RunPhase::kStopped:
            return request == ControlRequest::kRun;
        default:
            return false;
    }
}

}  // namespace

std::string progress_line(const RunStatus& status) {
    std::string line = fmt::format("step {}/{}", status.step, status.steps);
    if (std::isfinite(status.loss)) line += fmt::format(", loss {:.3f}", status.loss);
    if (status.tokens_per_second > 0)
        line += fmt::format(", {:.0f} tokens/s", status.tokens_per_second);
    if (status.remaining_seconds > 0) line += ", " + short_time(status.remaining_seconds) + " left";
    return line;
}

int request_stop(const std::filesystem::path& study_dir) {
    // Those that wait first: else one of them begins when the one at work has ended.
    std::vector<RunFolder> waiting, at_work;
    for (const RunFolder& run : list_runs(study_dir)) {
        const RunPhase phase = run_status(run.root).phase;
        if (phase == RunPhase::kFinished || phase == RunPhase::kFailed ||
            phase == RunPhase::kStopped || phase == RunPhase::kDiverged)
            continue;
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
    : study_dir_(std::move(study_dir)), options_(std::move(options)) {
    if (!options_.say)
        options_.say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

std::vector<RunFolder> StudyRunner::queued() const {
    std::vector<RunFolder> runs;
    for (const RunFolder& run : list_runs_in_order(study_dir_, options_.order))
        if (is_queued(run) && (!tried_.contains({run.root, run_status(run.root).steps}) ||
                               request_of(run) == ControlRequest::kRun))
            runs.push_back(run);
    return runs;
}

bool StudyRunner::run_all(const std::function<bool()>& interrupted) {
    bool all_finished = true;
    do {
        const std::optional<StudyLock> lock = StudyLock::try_acquire(study_dir_);
        if (!lock)
            throw UserError(
                fmt::format("{}: process {} works on this study already", study_dir_.string(),
                            StudyLock::holder(study_dir_).value_or(0)),
                "new runs are found by it; headroom study status shows how far it is");
        if (options_.prepare) std::exchange(options_.prepare, {})();
        all_finished &= run_queue(interrupted);
        // A run that was queued just before the lock was let go must not be forgotten: look again.
    } while (!interrupted() && !queued().empty());
    return all_finished && !interrupted();
}

bool StudyRunner::run_queue(const std::function<bool()>& interrupted) {
    bool all_finished = true;
    while (wait_for_workers(interrupted)) {
        const std::vector<RunFolder> runs = queued();
        if (runs.empty() && options_.next && options_.next()) continue;
        if (runs.empty()) break;
        tried_.insert({runs.front().root, run_status(runs.front().root).steps});
        options_.say(fmt::format("{}: starting ({} more in the queue)",
                                 runs.front().root.filename().string(), runs.size() - 1));
        all_finished &= run_one(runs.front(), interrupted);
    }
    return all_finished;
}

/// A worker that an earlier scheduler left behind has the processor: its turn comes first.
bool StudyRunner::wait_for_workers(const std::function<bool()>& interrupted) const {
    while (!interrupted()) {
        bool busy = false;
        for (const RunFolder& run : list_runs(study_dir_)) busy |= is_worker_alive(run.root);
        if (!busy) return true;
        sleep_seconds(options_.poll_seconds);
    }
    return false;
}

bool StudyRunner::run_one(const RunFolder& run, const std::function<bool()>& interrupted) {
    const std::string name = run.root.filename().string();
    clear_request(run.root);
    std::vector<std::string> argv = {options_.headroom,  "train", "--job",
                                     run.job().string(), "--out", run.root.string()};
    if (std::filesystem::exists(run.log())) argv.push_back("--resume");
    ChildProcess child = ChildProcess::start(argv, run.worker_log());

    auto last_report = Clock::now();
    while (!child.poll() && !interrupted()) {
        sleep_seconds(options_.poll_seconds);
        if (Clock::now() - last_report < std::chrono::duration<double>(options_.report_seconds))
            continue;
        last_report = Clock::now();
        options_.say(name + ": " + progress_line(run_status(run.root)));
    }
    const bool give_up = !child.poll();
    child.terminate();  // the worker saves a checkpoint and ends
    const int exit_status = child.wait();
    if (give_up) write_request(run.root, ControlRequest::kRun);  // for the next scheduler

    const RunStatus status = run_status(run.root);
    if (exit_status == 0) {
        options_.say(fmt::format("{}: {} after {}, {}", name, name_of(status.phase),
                                 short_time(status.seconds), progress_line(status)));
        return status.phase == RunPhase::kFinished || status.phase == RunPhase::kDiverged;
    }
    options_.say(fmt::format("{}: ended with status {}: {} (all of it in {})", name, exit_status,
                             last_line_of(run.worker_log()), run.worker_log().string()));
    return false;
}

}  // namespace headroom
