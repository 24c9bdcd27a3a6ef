#pragma once

#include <string>

#include "core/config/job.h"
#include "core/study/run_folder.h"

namespace headroom {

/// The resolved job of a run as text: job.json, or where somebody took that away what the log says.
/// UserError if neither can be read.
std::string run_job_text(const RunFolder& run);

/// The same as a Job. UserError also where it is none.
Job load_run_job(const RunFolder& run);

}  // namespace headroom
