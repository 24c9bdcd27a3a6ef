#include "core/study/run_status.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "core/base/system_info.h"
#include "core/study/job_paths.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A worker of another host is believed to live while its heartbeat is younger than this.
constexpr double kHeartbeatSeconds = 60;

/// Takes name and number of steps from the job, as far as it can be understood.
void read_job(const RunFolder& run, RunKnowledge& known) {
    const std::string path = run_job_source(run).string();
    try {
        const json job = parse_json(run_job_text(run), path);
        known.name = job.value("name", "");
        known.steps = whole_number(job.at("train").at("steps")).value();
    } catch (const UserError& error) {
        known.job_problem = error.what();
    } catch (const std::exception&) {
        known.job_problem = path + " is not a resolved job; write it anew";
    }
}

/// Whether somebody works on the run: a process of this machine, or one elsewhere that was heard
/// of.
bool has_worker(const fs::path& run_dir, double heartbeat) {
    if (is_worker_alive(run_dir)) return true;
    const std::optional<WorkerInfo> worker = read_worker_info(run_dir);
    if (!worker || is_worker_of_this_host(*worker)) return false;
    // Neither older nor, but for clocks that differ, from the future.
    return std::abs(unix_time() - heartbeat) < kHeartbeatSeconds;
}

/// A log that ended is what it says, whoever lives.
RunPhase phase_of(RunState state, const fs::path& run_dir, double heartbeat) {
    const auto with_worker = [&](RunPhase phase) {
        return has_worker(run_dir, heartbeat) ? phase : RunPhase::kLost;
    };
    switch (state) {
        case RunState::kFinished:
            return RunPhase::kFinished;
        case RunState::kFailed:
            return RunPhase::kFailed;
        case RunState::kStopped:
            return RunPhase::kStopped;
        case RunState::kDiverged:
            return RunPhase::kDiverged;
        case RunState::kStarting:
            return with_worker(RunPhase::kStarting);
        case RunState::kRunning:
            return with_worker(RunPhase::kRunning);
        case RunState::kPaused:
            return with_worker(RunPhase::kPaused);
    }
    CHECK(false, "unknown run state");
}

void take_tail(const RunTail& tail, RunStatus& status) {
    status.step = tail.step;
    status.loss = tail.loss;
    status.val_loss = tail.val_loss;
    status.val_accuracy = tail.val_accuracy;
    status.seconds = tail.seconds;
    status.tokens_per_second = tail.tokens_per_second;
    if (!is_final(tail.state) && status.steps > tail.step)
        status.remaining_seconds =
            static_cast<double>(status.steps - tail.step) * tail.seconds_per_step;
}

/// The error that the run's worker ended with: the last line of its output if it is one, else "".
std::string last_error(const fs::path& worker_log) {
    const std::string line = last_line_of(worker_log);
    const std::string mark = "error: ";
    return line.starts_with(mark) ? line.substr(mark.size()) : "";
}

/// A run without a log waits, starts, or failed before it could write one.
void judge_without_log(const RunFolder& run, const std::vector<std::string>& missing,
                       RunStatus& status) {
    status.phase = RunPhase::kStarting;
    if (is_worker_alive(run.root)) return;
    const std::string error = last_error(run.worker_log());
    status.phase = error.empty() ? RunPhase::kQueued : RunPhase::kFailed;
    if (status.problem.empty()) status.problem = error;
    if (status.problem.empty() && !missing.empty())
        status.problem = fmt::format("waits for {}, which {} not there", fmt::join(missing, ", "),
                                     missing.size() == 1 ? "is" : "are");
}

}  // namespace

std::string_view name_of(RunPhase phase) {
    switch (phase) {
        case RunPhase::kQueued:
            return "queued";
        case RunPhase::kStarting:
            return "starting";
        case RunPhase::kRunning:
            return "running";
        case RunPhase::kPaused:
            return "paused";
        case RunPhase::kFinished:
            return "finished";
        case RunPhase::kFailed:
            return "failed";
        case RunPhase::kStopped:
            return "stopped";
        case RunPhase::kLost:
            return "lost";
        case RunPhase::kDiverged:
            return "diverged";
    }
    CHECK(false, "unknown run phase");
}

bool is_final(RunPhase phase) {
    return phase == RunPhase::kFinished || phase == RunPhase::kFailed ||
           phase == RunPhase::kStopped || phase == RunPhase::kDiverged;
}

RunPhase effective_phase(RunPhase phase, std::optional<ControlRequest> request) {
    const bool waits = phase == RunPhase::kQueued || phase == RunPhase::kLost;
    const bool ended = phase == RunPhase::kFailed || phase == RunPhase::kStopped;
    if (waits && request == ControlRequest::kStop) return RunPhase::kStopped;
    if (ended && request == ControlRequest::kRun) return RunPhase::kQueued;
    return phase;
}

RunStatus run_status(const fs::path& run_dir) {
    const RunFolder run{run_dir};
    RunKnowledge known;
    read_job(run, known);
    std::error_code ignored;
    try {
        if (fs::exists(run.log(), ignored))
            known.log = open_series(run.log())->tail();
        else if (known.job_problem.empty())
            known.missing_files = missing_files(load_run_job(run), run_dir);
    } catch (const std::exception& error) {
        if (fs::exists(run.log(), ignored)) known.log_problem = error.what();
    }
    return run_status(run_dir, known);
}

RunStatus run_status(const fs::path& run_dir, const RunKnowledge& known) {
    const RunFolder run{run_dir};
    RunStatus status;
    status.name = known.name.empty() ? run_dir.filename().string() : known.name;
    status.steps = known.steps;
    status.problem = known.job_problem;
    status.loss = status.val_loss = std::numeric_limits<double>::quiet_NaN();
    if (!known.log_problem.empty()) {
        status.phase = is_worker_alive(run_dir) ? RunPhase::kRunning : RunPhase::kFailed;
        status.problem = known.log_problem;
    } else if (known.log) {
        status.phase = phase_of(known.log->state, run_dir, known.log->heartbeat);
        take_tail(*known.log, status);
        const bool ended = status.phase == RunPhase::kFailed || status.phase == RunPhase::kLost;
        if (ended && status.problem.empty()) status.problem = last_error(run.worker_log());
    } else {
        judge_without_log(run, known.missing_files, status);
    }
    return status;
}

}  // namespace headroom
