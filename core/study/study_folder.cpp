#include "core/study/study_folder.h"

#include <system_error>

#include <fmt/format.h>

namespace headroom {

namespace fs = std::filesystem;

bool looks_like_study(const fs::path& folder) {
    const StudyFolder study{folder};
    std::error_code ignored;
    return fs::is_regular_file(study.plan(), ignored) || fs::is_directory(study.runs(), ignored);
}

std::string study_problem(const fs::path& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) return fmt::format("{}: there is no such folder", folder.string());
    if (!fs::is_directory(status))
        return fmt::format("{} is a file; open the study folder that it belongs to",
                           folder.string());
    if (looks_like_study(folder)) return "";
    const bool is_empty = fs::is_empty(folder, error);
    if (error) return fmt::format("{} cannot be read: {}", folder.string(), error.message());
    if (is_empty) return "";
    return fmt::format(
        "{} is not a study: it has neither study.json nor a runs folder; open a "
        "study folder or an empty one for a new study",
        folder.string());
}

std::string added_study_problem(const fs::path& folder) {
    if (std::string problem = study_problem(folder); !problem.empty()) return problem;
    return looks_like_study(folder)
               ? ""
               : fmt::format("{} is empty: there are no runs to add", folder.string());
}

fs::path find_enclosing_study(const fs::path& path) {
    std::error_code ignored;
    fs::path folder = fs::weakly_canonical(path, ignored);
    // A study.json, a run in runs/, a file in a run, a checkpoint: at most four folders deep.
    for (int depth = 0; depth < 5 && !folder.empty(); ++depth) {
        if (fs::is_directory(folder, ignored) && looks_like_study(folder)) return folder;
        if (folder == folder.parent_path()) break;
        folder = folder.parent_path();
    }
    return {};
}

}  // namespace headroom
