#pragma once

#include <memory>

#include "core/config/job.h"
#include "core/device/device.h"
#include "core/probe/task_scorer.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// What scores zero-shot tasks for the probe eval. `tokenizer` may be null, which is said where a
/// task is to be read; `device` outlives the result.
TaskScorer task_scorer(std::shared_ptr<const Tokenizer> tokenizer, DType precision, Device& device);

/// UserError if a probe of the job asks for a task that cannot be read: before the training, not
/// in the middle of it.
void check_task_files(const Job& job);

}  // namespace headroom
