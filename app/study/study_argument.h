#pragma once

#include <filesystem>

#include "core/study/study.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

/// A study.json stands for the folder that it lies in (file managers name the file); anything else
/// for itself.
std::filesystem::path without_study_file(const std::filesystem::path& argument);

/// The study that a person means by a folder of it, or the folder itself; in full.
std::filesystem::path study_around(const std::filesystem::path& folder);

/// The folder that a STUDY_DIR argument names, in full. UserError unless it holds a study.json or
/// runs.
std::filesystem::path study_folder(const std::filesystem::path& named);

/// All of a study's runs with their logs. UserError for one that cannot be read.
StudyPointer read_study(const std::filesystem::path& folder);

/// Its study.json. UserError where there is none: `needs` says what asks for it.
Study read_plan(const std::filesystem::path& folder, const char* needs);

}  // namespace headroom
