#include "app/study/study_figures.h"

#include <set>

#include <fmt/format.h>

#include "app/study/child_process.h"
#include "core/base/file.h"
#include "core/study/figure_options.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

/// All runs are also those that lie in the folder alone: launched by hand, or of another tool's
/// log, which has curves but no model.
void add_unplanned(std::vector<std::string>& ids, const std::string& recipe,
                   const std::filesystem::path& study_dir) {
    const std::set<std::string> planned(ids.begin(), ids.end());
    for (const RunFolder& run : list_runs(study_dir)) {
        std::string id = run.root.filename().string();
        if (planned.contains(id) || (!draws_imported(recipe) && is_imported(run))) continue;
        ids.push_back(std::move(id));
    }
}

}  // namespace

std::vector<std::string> recipe_arguments(const StudyFigure& figure,
                                          const std::filesystem::path& study_dir) {
    std::vector<std::string> arguments = {figure.recipe}, ids = figure.runs;
    if (figure.all_runs) add_unplanned(ids, figure.recipe, study_dir);
    for (const std::string& id : ids) {
        const RunFolder run = StudyFolder{study_dir}.run(id);
        if (std::filesystem::exists(run.log())) arguments.push_back(run.root.string());
    }
    if (arguments.size() == 1) return {};
    if (figure.recipe == kPanelsRecipe) {
        arguments = {figure.recipe, study_dir.string()};
        arguments.insert(arguments.end(), figure.panels.begin(), figure.panels.end());
    }
    for (const auto& [name, value] : figure.options) {
        if (value == "false" || value.empty()) continue;
        arguments.push_back(value == "true" ? "--" + name : "--" + name + "=" + value);
    }
    return arguments;
}

std::vector<std::string> figure_arguments(const StudyFigure& figure,
                                          const std::filesystem::path& study_dir) {
    std::vector<std::string> arguments = recipe_arguments(figure, study_dir);
    if (arguments.empty()) return {};
    arguments.insert(arguments.begin(), "figure");
    for (const char* ending : kFigureEndings) {
        arguments.push_back("--out");
        arguments.push_back(
            (StudyFolder{study_dir}.figures() / (figure.name + "." + ending)).string());
    }
    return arguments;
}

bool write_figures(const Study& study, const std::filesystem::path& study_dir,
                   const std::string& studio_program,
                   const std::function<void(const std::string&)>& say) {
    const std::filesystem::path folder = StudyFolder{study_dir}.figures();
    make_folder_inside(study_dir, folder);
    bool all_drawn = true;
    for (const StudyFigure& figure : study.figures) {
        std::vector<std::string> argv = figure_arguments(figure, study_dir);
        if (argv.empty()) {
            say(fmt::format("figure {}: not drawn, none of its runs has begun", figure.name));
            all_drawn = false;
            continue;
        }
        argv.insert(argv.begin(), studio_program);
        const std::filesystem::path log = folder / "figures.log";
        const int status = ChildProcess::start(argv, log).wait();
        if (status == 0)
            say(fmt::format("figure: {}.pdf (and .svg, .png, .csv)",
                            (folder / figure.name).string()));
        else
            say(fmt::format("figure {}: not drawn: {} (all of it in {})", figure.name,
                            last_line_of(log), log.string()));
        all_drawn &= status == 0;
    }
    return all_drawn;
}

}  // namespace headroom
