#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/study/run_folder.h"

namespace headroom {

/// The key of a job.json that says which tool trained which run, in place of a job: nothing is
/// known of the model. What it holds is {"tool": …, "run": …}.
inline constexpr char kImportedFrom[] = "imported_from";
/// Whether a run was made of another tool's log: it has no model. False where its job cannot be
/// read.
bool is_imported(const RunFolder& run);
/// UserError, about `name`, if `document` is such a one.
void check_not_imported(const nlohmann::json& document, const std::string& name);

/// The file that says the job of a run: job.json, or where somebody took that away its log.
std::filesystem::path run_job_source(const RunFolder& run);

/// The resolved job of a run as it is written there; files of its study are named from the run's
/// folder. UserError if it cannot be read.
std::string run_job_text(const RunFolder& run);

/// The same as a Job, its paths absolute. UserError also where it is none, as of imported runs.
Job load_run_job(const RunFolder& run);

/// The Job that the document of such a text has, its paths absolute. `source` is for messages.
/// UserError if it has none.
Job parse_run_job(const RunFolder& run, const nlohmann::json& document, const std::string& source);

/// `job` as the run's job.json and log have it: files of the study that the run belongs to are
/// named from the run's folder, all others as they are. REQUIRES: absolute paths.
Job job_as_stored(const RunFolder& run, Job job);

/// Whether `a` and `b` are one job. A vocabulary of 0, which only the data tell, is no difference.
bool is_same_job(Job a, const Job& b);

/// Writes job.json so, atomically. REQUIRES: absolute paths.
void write_job(const RunFolder& run, const Job& job);

}  // namespace headroom
