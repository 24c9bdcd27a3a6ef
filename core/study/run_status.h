#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/series_reader.h"
#include "core/study/run_control.h"

namespace headroom {

/// What a queue shows for a run. kLost: the log says starting, running or paused, but no worker
/// lives; a scheduler treats it like kQueued and resumes it.
/// kDiverged: training blew up, which is a result; its last step says when.
enum class RunPhase {
    kQueued,
    kStarting,
    kRunning,
    kPaused,
    kFinished,
    kFailed,
    kStopped,
    kLost,
    kDiverged
};
std::string_view name_of(RunPhase phase);
/// Whether a run has ended: its log says finished, failed, stopped or diverged, or its worker did.
/// Nothing goes on with it unasked.
bool is_final(RunPhase phase);

/// The phase as a person sees it: a waiting run that was asked to stop is stopped, for no scheduler
/// takes it up; a failed or stopped one that was asked to run waits.
RunPhase effective_phase(RunPhase phase, std::optional<ControlRequest> request);

struct RunStatus {
    RunPhase phase = RunPhase::kQueued;
    std::string name;  ///< the job's name, else the folder's
    int64_t step = 0;
    int64_t steps = 0;    ///< of the job; 0 if unknown
    double loss = 0;      ///< of the last logged step; NaN if none
    double val_loss = 0;  ///< of the last evaluation; NaN if none
    double val_accuracy = std::numeric_limits<double>::quiet_NaN();  ///< the same, of images
    double seconds = 0;                                              ///< worked so far
    double tokens_per_second = 0;  ///< over the last steps; 0 if unknown
    double remaining_seconds = 0;  ///< estimated from the last steps; 0 if unknown or over
    /// One line if a file of the run cannot be read, it failed, or it waits for files that are not
    /// there; else "".
    std::string problem;
};

/// Looks at job.json, worker.json and the end of the log; takes about a millisecond. Never throws
/// for what it finds in the folder: that goes into `problem`.
RunStatus run_status(const std::filesystem::path& run_dir);

/// What a caller knows of a run that follows its files itself.
struct RunKnowledge {
    std::string name;                          ///< of the job; "" = the folder's
    int64_t steps = 0;                         ///< of the job; 0 if unknown
    std::string job_problem;                   ///< why job.json cannot be read, or ""
    std::optional<RunTail> log;                ///< none: there is no log, or it cannot be read
    std::string log_problem;                   ///< why it cannot be read, or ""
    std::vector<std::string> missing_files{};  ///< of one without a log: what it waits for
};

/// The same without opening job.json or the log. For a run that has ended it touches no file.
RunStatus run_status(const std::filesystem::path& run_dir, const RunKnowledge& known);

}  // namespace headroom
