#pragma once

#include "core/config/job.h"
#include "core/graph/plan.h"

namespace headroom {

/// What a run of this job will allocate on the CPU of this machine, without allocating it: the
/// ledger of the very plan that the run executes; the largest of its probes counts as workspace.
/// job.model.vocab_size must be known. Takes milliseconds.
MemoryLedger predict_memory(const Job& job);

}  // namespace headroom
