#pragma once

#include <cstdint>
#include <memory>

#include "core/config/job.h"
#include "core/train/batch_source.h"

namespace headroom {

/// Opens the data of a job. `seed` chooses the training batches, never the evaluation batches.
/// Paths are used as they stand (relative ones from the working directory).
/// Throws UserError for a bad spec or bad data (missing, empty, binary, too short, ...).
std::unique_ptr<BatchSource> open_data(const DataConfig& config, int64_t seed);

}  // namespace headroom
