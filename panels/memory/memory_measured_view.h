#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/account/memory_ledger.h"
#include "panels/memory/memory_figure.h"

namespace headroom {

/// What a worker is to measure: a ledger of one model. Its request's vocabulary is known.
struct MeasureQuestion {
    std::string name;
    std::shared_ptr<const Job> job;  ///< of the model, which tells measurements apart
    MemoryRequest request;
};

/// The words after `headroom` that measure it; `job_file` holds the request's job.
std::vector<std::string> measure_arguments(const MeasureQuestion& question,
                                           const std::string& job_file);

/// The measurement in what `headroom memory --measure --json` printed for one use. UserError for
/// anything else.
MeasuredMemory parse_measurement(const std::string& output);

/// Whether the predicted and the held bytes of a ledger agree, in words: "measured as predicted,
/// to the byte", or what differs most.
std::string agreement_text(const MemoryReport& predicted, const MeasuredMemory& measured);

}  // namespace headroom
