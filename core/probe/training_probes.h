#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/probe/probe_kind.h"

namespace headroom {

/// How a probing goes on beside the training.
struct TrainingProbeHooks {
    std::function<bool()> keep_going = {};                ///< see ProbeTask
    std::function<std::string(int32_t)> token_text = {};  ///< for the file; may be empty
    decltype(ProbeTask::convert) convert = {};            ///< see ProbeTask
    TaskScorer score_tasks = {};                          ///< for the probe eval
    /// A number that belongs into the log: ProbeKind::scalars. Said of files that are there, too.
    std::function<void(const std::string& name, double value)> on_scalar = {};
    std::function<void(const std::string&)> on_failure = {};  ///< one line for each failed probe
};

/// Runs the probes of a job that are due at `step` (those of `every` or of the start, and all at
/// the last one) with the weights that `executor` holds, and writes RUN_DIR/probes/KIND-step-*.h5,
/// each complete or not at all. Files that are there stay: a resumed run meets the same weights
/// again. A probe that fails is reported and leaves no file; nothing is thrown and the weights are
/// not touched.
void run_due_probes(const Job& job, int64_t step, const std::filesystem::path& run_dir,
                    const DataSource& data, const Executor& executor,
                    const std::vector<GraphParameter>& parameters, Device& device,
                    const TrainingProbeHooks& hooks);

/// What the log of this job's run keeps of its probes.
std::vector<ScalarInfo> probe_scalars(const Job& job);

/// What the largest probe of the job allocates beside the training on a CPU; 0 without probes.
int64_t training_probe_bytes(const Job& job, int threads);

}  // namespace headroom
