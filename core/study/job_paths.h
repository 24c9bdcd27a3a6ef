#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/job.h"

namespace headroom {

/// Makes relative paths of data, tokenizer, initial weights and tasks absolute: seen from `folder`
/// (the job file's or the study's), or where that leads nowhere from the current folder. What would
/// lie among the runs of the folder's own study is never looked for elsewhere.
void make_paths_absolute(Job& job, const std::filesystem::path& folder);

/// The files and folders that the job of a run in `run_dir` reads and that are not there, but for
/// the checkpoint of another run beside it, which is still to come. REQUIRES: absolute paths.
std::vector<std::string> missing_files(const Job& job, const std::filesystem::path& run_dir);

/// The reverse for files within `study_dir`: seen from `folder` again, so that the job is right
/// wherever the study is moved or copied. Other paths stay as they are.
void make_paths_movable(Job& job, const std::filesystem::path& study_dir,
                        const std::filesystem::path& folder);

}  // namespace headroom
