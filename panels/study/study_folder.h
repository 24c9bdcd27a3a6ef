#pragma once

#include <filesystem>
#include <string>

namespace headroom {

/// "" if `folder` can be opened as a study (it holds study.json or runs/, or is an empty folder
/// that may become one), else one line that says why not and what to do.
std::string study_problem(const std::filesystem::path& folder);

/// The same of one whose runs are to be shown beside others: an empty folder has none.
std::string added_study_problem(const std::filesystem::path& folder);

/// The study that a dropped or named path belongs to: the folder itself, or the study around a
/// study.json, a run's folder or a file in one. Empty if there is none.
std::filesystem::path find_enclosing_study(const std::filesystem::path& path);

}  // namespace headroom
