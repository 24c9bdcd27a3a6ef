#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/checkpoint/checkpoint.h"
#include "core/config/job.h"
#include "core/log/series_reader.h"
#include "core/study/run_folder.h"
#include "core/train/training_session.h"

namespace headroom {

/// What must be as it was before a run in a folder that holds a log may go on. Each throws
/// UserError that says what is not, and what to do. `before` is the job that the log was made by.

/// Resuming with another model, data set or rate would splice two runs.
void check_same_job(const RunFolder& run, const Job& before, const Job& job);

/// More steps are fine where those that there are, `done`, keep their rates.
void check_same_steps(const RunFolder& run, const Job& before, const Job& job, int64_t done);

/// A run that was killed before its first checkpoint starts again from step 0. One that had a
/// checkpoint does not: its log would be lost. `tail` is the log's end, `chosen` the checkpoint to
/// go on from; `on_warning`, which may be empty, is told where steps are lost.
void check_checkpoints(const RunFolder& run, const Job& before, const RunTail& tail,
                       const std::optional<CheckpointFiles>& chosen,
                       const std::function<void(const std::string&)>& on_warning);

/// The data may have been made anew under their name: then the log has other batches, of `step` or
/// of its last evaluation, than the session reads.
void check_same_data(const RunFolder& run, const Job& job, TrainingSession& session, int64_t step);

}  // namespace headroom
