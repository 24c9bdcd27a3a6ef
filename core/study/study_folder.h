#pragma once

#include <filesystem>
#include <string>

#include "core/study/run_folder.h"

namespace headroom {

/// The paths of a study: a contract with other programs. Nothing is created by naming them.
struct StudyFolder {
    std::filesystem::path root;

    std::filesystem::path plan() const { return root / "study.json"; }
    std::filesystem::path runs() const { return root / "runs"; }
    RunFolder run(const std::string& id) const { return {runs() / id}; }
    std::filesystem::path figures() const { return root / "figures"; }
    std::filesystem::path labels() const { return root / "labels.json"; }
    std::filesystem::path queue_lock() const { return root / "queue.lock"; }
    /// What a queue that the window started prints.
    std::filesystem::path queue_log() const { return root / "queue.log"; }
    std::filesystem::path trash() const { return root / ".trash"; }
};

/// Whether a folder holds a plan or a folder for runs.
bool looks_like_study(const std::filesystem::path& folder);

/// "" if `folder` can be opened as a study (it holds study.json or runs/, or is an empty folder
/// that may become one), else one line that says why not and what to do.
std::string study_problem(const std::filesystem::path& folder);

/// The same of one whose runs are to be shown beside others: an empty folder has none.
std::string added_study_problem(const std::filesystem::path& folder);

/// The study that a dropped or named path belongs to: the folder itself, or the study around a
/// study.json, a run's folder or a file in one. Empty if there is none.
std::filesystem::path find_enclosing_study(const std::filesystem::path& path);

}  // namespace headroom
