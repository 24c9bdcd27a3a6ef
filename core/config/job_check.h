#pragma once

#include "core/config/job.h"

namespace headroom {

/// Throws UserError for keys of a job that contradict each other (seq_len above block_size, min_lr
/// above lr, ...) or data specs of an unknown kind. Each key by itself was checked by the schema.
void check_job(const Job& job);

}  // namespace headroom
