#pragma once

#include <filesystem>

#include "core/config/job.h"

namespace headroom {

/// Makes relative paths of data, tokenizer and initial weights absolute: seen from `folder` (the
/// job file's or the study's), or where that leads nowhere from the current folder.
void make_paths_absolute(Job& job, const std::filesystem::path& folder);

}  // namespace headroom
