#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/config/job.h"
#include "core/log/run_series.h"
#include "core/study/run_control.h"
#include "core/study/run_status.h"
#include "core/study/study_labels.h"

namespace headroom {

/// One run at one moment, as its folder tells it: what every view, table and figure reads.
/// Immutable once made and shared by pointer, so that any thread may draw from it without a lock.
struct Run {
    std::string id;       ///< unique among the runs shown: its folder's name, longer if need be
    std::string name;     ///< for people: its group, with the seed where the group has several runs
    std::string group;    ///< for people: equal exactly for runs whose jobs differ in seed and name
    std::string variant;  ///< the group without what tells it from others of that name
    std::filesystem::path folder;
    int64_t seed = 0;
    int color = 0;         ///< of its group, the same in every view and figure; see run_style()
    int shade = 0;         ///< its place among the runs of its group, from 0
    bool repeats = false;  ///< another run of its group has its seed: it counts in no mean
    bool planned = false;  ///< in study.json, but without a folder yet
    RunLabel label;        ///< what people added to it

    std::shared_ptr<const Job> job;  ///< null if job.json cannot be read
    RunStatus status;
    std::optional<ControlRequest> request;     ///< what control.json asks, as far as it is not done
    std::string started;                       ///< local time of its last worker, ISO 8601, or ""
    double started_unix = 0;                   ///< Unix time at which the log began; 0 = unknown
    std::vector<CheckpointFiles> checkpoints;  ///< that are finished, oldest first

    /// Never null; empty for a run that has no log yet, or whose rows were not asked for.
    std::shared_ptr<const RunSeries> series = std::make_shared<const RunSeries>();
    std::string log_problem;  ///< one line if its log cannot be read, else ""
};

using RunPointer = std::shared_ptr<const Run>;

/// "a: a-s1-2 repeats seed 1 and counts once"; "" of a run that does not repeat another.
inline std::string repeat_note(const Run& run) {
    if (!run.repeats) return "";
    return run.group + ": " + run.id + " repeats seed " + std::to_string(run.seed) +
           " and counts once";
}

/// The step at which its training diverged.
inline std::optional<int64_t> diverged_at(const Run& run) {
    const bool diverged = run.series->state == RunState::kDiverged;
    if (!diverged || run.series->train.step.empty()) return std::nullopt;
    return run.series->train.step.back();
}

}  // namespace headroom
