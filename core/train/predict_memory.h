#pragma once

#include "core/config/job.h"
#include "core/graph/plan.h"

namespace headroom {

/// What a run allocates.
struct RunMemory {
    MemoryLedger training;
    int64_t largest_probe = 0;  ///< beside it, while that probe of the run is made

    int64_t total() const { return training.total + largest_probe; }
};

/// What a run of this job will allocate on the CPU of this machine, without allocating it: the
/// ledger of the very plan that the run executes. job.model.vocab_size must be known. Takes
/// milliseconds.
RunMemory predict_memory(const Job& job);

/// RunMemory::largest_probe alone.
int64_t predict_largest_probe(const Job& job);

}  // namespace headroom
