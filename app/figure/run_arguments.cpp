#include "app/figure/run_arguments.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/study/run_folder.h"
#include "panels/run/run_set.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// The run folders behind one argument.
std::vector<fs::path> folders_of(const std::string& argument) {
    const fs::path path = fs::path(argument).lexically_normal();
    std::error_code ignored;
    if (!is_there(path))
        throw UserError(argument + " does not exist", "give a run folder or a study folder");
    if (!fs::is_directory(path, ignored))
        throw UserError(argument + " is a file", "give a run folder or a study folder");
    const RunFolder run{path};
    if (is_there(run.log())) return {path};
    if (is_there(run.job())) throw UserError(argument + " has no log.h5 yet", "train it first");
    if (!is_there(path / "runs"))
        throw UserError(argument + " is neither a run folder (no log.h5) nor a study (no runs/)",
                        "give a run folder or a study folder");
    std::vector<fs::path> folders;
    for (const RunFolder& each : list_runs(path))
        if (is_there(each.log())) folders.push_back(each.root);
    if (folders.empty())
        throw UserError("no run of " + argument + " has a log.h5 yet",
                        "train it first: headroom study run " + argument);
    return folders;
}

}  // namespace

std::vector<RunPointer> read_runs(const std::vector<std::string>& arguments) {
    std::vector<fs::path> folders;
    for (const std::string& argument : arguments)
        for (const fs::path& folder : folders_of(argument)) {
            const auto same = [&](const fs::path& other) {
                std::error_code ignored;
                return fs::equivalent(folder, other, ignored);
            };
            if (std::none_of(folders.begin(), folders.end(), same)) folders.push_back(folder);
        }
    RunSet runs;
    runs.follow(folders);
    runs.poll();
    for (const RunPointer& run : runs.runs())
        if (!run->problem.empty()) throw UserError(run->problem);
    return runs.runs();
}

RunPointer find_run(const std::vector<RunPointer>& runs, const std::string& word,
                    const std::string& option) {
    const auto matches = [&](const RunPointer& run) {
        std::error_code ignored;
        return run->id == word || run->name == word || run->variant == word ||
               fs::equivalent(run->folder, word, ignored);
    };
    const auto found = std::find_if(runs.begin(), runs.end(), matches);
    if (found != runs.end()) return *found;
    std::vector<std::string> ids;
    for (const RunPointer& run : runs) ids.push_back(run->id);
    throw UserError(option + " " + word + " is not among the runs" + suggestion(word, ids));
}

}  // namespace headroom
