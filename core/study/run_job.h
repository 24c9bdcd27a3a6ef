#pragma once

#include <filesystem>
#include <string>

#include "core/config/job.h"
#include "core/study/run_folder.h"

namespace headroom {

/// The file that says the job of a run: job.json, or where somebody took that away its log.
std::filesystem::path run_job_source(const RunFolder& run);

/// The resolved job of a run as text, from there. UserError if it cannot be read.
std::string run_job_text(const RunFolder& run);

/// The same as a Job. UserError also where it is none.
Job load_run_job(const RunFolder& run);

}  // namespace headroom
