#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/log/run_series.h"
#include "core/probe/task_scorer.h"

namespace headroom {

/// What the person at the terminal may be told while a run goes on.
struct RunProgress {
    int64_t step = 0, steps = 0;
    double loss = 0;
    double val_loss = 0;      ///< NaN before the first evaluation
    double val_accuracy = 0;  ///< the same; NaN of tokens
    double tokens_per_second = 0;
    double remaining_seconds = 0;
    bool evaluated = false;  ///< an evaluation has just been made
};

struct RunOptions {
    bool resume = false;  ///< continue from the newest checkpoint, if there is one
    /// Set from outside (a signal) to stop at the next step boundary, as control.json does.
    const std::atomic<bool>* stop = nullptr;
    std::function<void(const RunProgress&)> on_progress;
    /// One line about what went wrong without ending the run (a probe).
    std::function<void(const std::string&)> on_warning = {};
    /// What a token reads as, for the files of probes; may be empty.
    std::function<std::string(int32_t)> token_text = {};
    /// For the probe eval; a job without one needs none.
    TaskScorer score_tasks = {};
    /// Processes that train the run together; this one is rank 0, the others are in
    /// run_worker_rank.
    ProcessGroup* group = &solo_group();
};

/// Trains `job` in the run folder: job.json, log.h5, checkpoints, worker.json; obeys control.json.
/// Returns how it ended: kFinished, kStopped, or kDiverged (see DivergenceWatch; `on_warning` is
/// told why). On an error the log says kFailed and the error is thrown on. UserError if the folder
/// holds a run already and `resume` is off, holds another job, or is being written by another
/// worker.
RunState run_training(const Job& job, const std::filesystem::path& run_dir, const DataSource& data,
                      Device& device, const RunOptions& options);

}  // namespace headroom
