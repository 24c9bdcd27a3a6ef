#include "core/study/run_status.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/log/run_log_reader.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A worker of another host is believed to live while its heartbeat is younger than this.
constexpr double kHeartbeatSeconds = 60;

/// Takes name and number of steps from the job, as far as it can be understood.
void read_job(const fs::path& path, RunStatus& status) {
    try {
        const json job = load_json(path);
        status.name = job.value("name", status.name);
        status.steps = job.at("train").at("steps").get<int64_t>();
    } catch (const UserError& error) {
        status.problem = error.what();
    } catch (const std::exception&) {
        status.problem = path.string() + " is not a resolved job; write it anew";
    }
}

double unix_time() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since_epoch).count();
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

RunPhase phase_of(RunState state, bool worker) {
    switch (state) {
        case RunState::kFinished:
            return RunPhase::kFinished;
        case RunState::kFailed:
            return RunPhase::kFailed;
        case RunState::kStopped:
            return RunPhase::kStopped;
        case RunState::kStarting:
            return worker ? RunPhase::kStarting : RunPhase::kLost;
        case RunState::kRunning:
            return worker ? RunPhase::kRunning : RunPhase::kLost;
        case RunState::kPaused:
            return worker ? RunPhase::kPaused : RunPhase::kLost;
    }
    CHECK(false, "unknown run state");
}

void take_tail(const RunTail& tail, RunStatus& status) {
    status.step = tail.step;
    status.loss = tail.loss;
    status.val_loss = tail.val_loss;
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
void judge_without_log(const RunFolder& run, RunStatus& status) {
    status.phase = RunPhase::kStarting;
    if (is_worker_alive(run.root)) return;
    const std::string error = last_error(run.worker_log());
    status.phase = error.empty() ? RunPhase::kQueued : RunPhase::kFailed;
    if (status.problem.empty()) status.problem = error;
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
    }
    CHECK(false, "unknown run phase");
}

RunStatus run_status(const fs::path& run_dir) {
    const RunFolder run{run_dir};
    RunStatus status;
    status.name = run_dir.filename().string();
    status.loss = status.val_loss = std::numeric_limits<double>::quiet_NaN();
    read_job(run.job(), status);
    std::error_code ignored;
    if (!fs::exists(run.log(), ignored)) {
        judge_without_log(run, status);
        return status;
    }
    try {
        const RunTail tail = RunLogReader::open(run.log()).tail();
        status.phase = phase_of(tail.state, has_worker(run_dir, tail.heartbeat));
        take_tail(tail, status);
        const bool ended = status.phase == RunPhase::kFailed || status.phase == RunPhase::kLost;
        if (ended && status.problem.empty()) status.problem = last_error(run.worker_log());
    } catch (const std::exception& error) {
        status.phase = is_worker_alive(run_dir) ? RunPhase::kRunning : RunPhase::kFailed;
        status.problem = error.what();
    }
    return status;
}

}  // namespace headroom
