#include "app/study/study_argument.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/study/study_folder.h"
#include "panels/study/study_reader.h"

namespace headroom {

namespace fs = std::filesystem;

fs::path without_study_file(const fs::path& argument) {
    std::error_code ignored;
    if (argument.filename() != "study.json" || !fs::is_regular_file(argument, ignored))
        return argument;
    return argument.has_parent_path() ? argument.parent_path() : fs::path(".");
}

fs::path study_around(const fs::path& folder) {
    fs::path asked = (fs::current_path() / folder).lexically_normal();
    if (!asked.has_filename()) asked = asked.parent_path();  // behind a last slash
    const fs::path around = find_enclosing_study(asked);
    return around.empty() ? asked : around;
}

fs::path study_folder(const fs::path& named) {
    const fs::path argument = without_study_file(named);
    if (!fs::is_directory(argument))
        throw UserError("\"" + argument.string() + "\" is not a folder",
                        "name the folder that holds study.json");
    if (!looks_like_study(argument))
        throw UserError("\"" + argument.string() + "\" is not a study: it has no study.json",
                        "headroom study templates lists some to begin with");
    return fs::canonical(argument);
}

StudyPointer read_study(const fs::path& folder) {
    StudyPointer study = StudyReader(folder, {.colors = false}).look_at_all();
    if (!study->problem.empty()) throw UserError(study->problem);
    return study;
}

Study read_plan(const fs::path& folder, const char* needs) {
    const fs::path file = StudyFolder{folder}.plan();
    if (!fs::exists(file))
        throw UserError(
            fmt::format("{} has no study.json, and with it no {}", folder.string(), needs),
            "core/study/README.md says how one is written");
    return load_study(file);
}

}  // namespace headroom
