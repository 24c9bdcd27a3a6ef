#include "panels/study/run_arguments.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"
#include "panels/study/named_run.h"
#include "panels/study/run_colors.h"
#include "panels/study/run_groups.h"
#include "panels/study/study_reader.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// The run folders behind one argument.
std::vector<fs::path> folders_of(const std::string& argument) {
    fs::path path = fs::path(argument).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // a slash at the end
    std::error_code ignored;
    if (!is_there(path))
        throw UserError(argument + " does not exist", "give a run folder or a study folder");
    if (!fs::is_directory(path, ignored))
        throw UserError(argument + " is a file", "give a run folder or a study folder");
    const RunFolder run{path};
    if (is_there(run.log())) return {path};
    if (is_there(run.job())) throw UserError(argument + " has no log.h5 yet", "train it first");
    if (!is_there(StudyFolder{path}.runs()))
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

/// A run's folder, and by which of the arguments it was named.
struct NamedRunFolder {
    fs::path path;
    size_t argument = 0;
    bool by_study = false;  ///< not by itself
};

/// Those that one argument names, a study, in the order that the study has everywhere.
void put_in_order(std::vector<NamedRunFolder>& folders,
                  const std::map<fs::path, StudyPointer>& studies) {
    std::map<fs::path, size_t> places;
    for (const auto& [folder, study] : studies)
        for (const RunPointer& run : study->runs)
            places.emplace(StudyFolder{folder}.run(run->id).root, places.size());
    const auto place_of = [&](const fs::path& folder) {
        const auto place =
            places.find(StudyFolder{folder_of_runs(folder)}.run(folder.filename().string()).root);
        return place == places.end() ? places.size() : place->second;
    };
    std::stable_sort(folders.begin(), folders.end(),
                     [&](const NamedRunFolder& a, const NamedRunFolder& b) {
                         return std::pair(a.argument, place_of(a.path)) <
                                std::pair(b.argument, place_of(b.path));
                     });
}

/// Every folder as a Run, in their order: those of a study as that study knows them, so that a run
/// has the colour that it has everywhere.
std::vector<Run> read_folders(std::vector<NamedRunFolder> folders) {
    std::map<fs::path, std::set<std::string>> wanted;
    for (const auto& [folder, argument, by_study] : folders)
        wanted[folder_of_runs(folder)].insert(folder.filename().string());
    std::map<fs::path, StudyPointer> studies;
    for (const auto& [study, ids] : wanted)
        if (!study.empty()) {
            studies[study] = StudyReader(study, {.only = ids}).look_at_all();
            // Drawn without it, runs would have other colours and names than everywhere else.
            if (!studies[study]->labels_problem.empty())
                throw UserError(studies[study]->labels_problem);
        }
    put_in_order(folders, studies);
    std::vector<Run> runs;
    for (const auto& [folder, argument, by_study] : folders) {
        const auto study = studies.find(folder_of_runs(folder));
        const RunPointer known =
            study == studies.end() ? nullptr : study->second->find(folder.filename().string());
        if (known) {
            runs.push_back(*known);
        } else {
            RunReader reader(folder);
            reader.poll();
            reader.poll_rows();
            runs.push_back(reader.run());
        }
        runs.back().folder = folder;
    }
    return runs;
}

JobIdentity identity_of(const Run& run) {
    return run.job ? identify(*run.job) : identify(run.series->attributes.job_json);
}

/// What the run's variant is called in its study, without what tells it from others there; a
/// person's name for the run first. "" of a run of no study.
std::string variant_name(const Run& run) {
    if (!run.label.name.empty() || folder_of_runs(run.folder).empty()) return run.label.name;
    return run.variant;
}

/// Names of few runs need not say what tells them from others that are not here; but where seeds
/// differ, of which seed a run is, and by what shade it is known in its study. Groups of several
/// studies, and runs of none, get colours of their own.
void name_among_themselves(std::vector<Run>& runs) {
    std::vector<NamedFolder> folders;
    std::set<int64_t> seeds;
    for (const Run& run : runs) {
        folders.push_back(
            {run.folder.string(), variant_name(run), identity_of(run), progress_of(run.status)});
        seeds.insert(run.seed);
    }
    const std::vector<RunIdentity> names = identify_runs(folders);
    const bool seeds_differ = seeds.size() > 1;
    std::vector<ColoredRun> colored;
    std::map<int, std::pair<fs::path, std::string>> owner;  // of each colour: study, group
    for (size_t i = 0; i < runs.size(); ++i) {
        Run& run = runs[i];
        const bool has_other_seeds = run.name != run.group;  // in its study
        run.id = names[i].id;
        run.name = names[i].name;
        run.group = names[i].group;
        run.seed = names[i].seed;
        if (seeds_differ && has_other_seeds && run.name == run.group)
            run.name += fmt::format(", seed {}", run.seed);
        if (!seeds_differ || folder_of_runs(run.folder).empty()) run.shade = names[i].shade;
        run.repeats = names[i].repeats;
        colored.push_back({run.group, std::nullopt, 0});
        const fs::path study = folder_of_runs(run.folder);
        if (study.empty()) continue;
        const auto& [first_study, first_group] =
            owner.try_emplace(run.color, std::pair(study, run.group)).first->second;
        if (study == first_study || run.group == first_group) colored.back().stored = run.color;
    }
    assign_colors(colored);
    for (size_t i = 0; i < runs.size(); ++i) runs[i].color = colored[i].color;
}

}  // namespace

std::vector<RunPointer> read_runs(const std::vector<std::string>& arguments,
                                  std::vector<std::string>* left_out) {
    std::vector<NamedRunFolder> folders;
    for (size_t argument = 0; argument < arguments.size(); ++argument)
        for (const fs::path& folder : folders_of(arguments[argument])) {
            const auto same = [&](const fs::path& other) {
                std::error_code ignored;
                return fs::equivalent(folder, other, ignored);
            };
            if (std::none_of(folders.begin(), folders.end(),
                             [&](const NamedRunFolder& other) { return same(other.path); }))
                folders.push_back({folder, argument, !same(arguments[argument])});
        }
    std::set<fs::path> by_study;
    for (const NamedRunFolder& folder : folders)
        if (folder.by_study) by_study.insert(folder.path);
    std::vector<Run> runs = read_folders(std::move(folders));
    std::string problem;
    std::erase_if(runs, [&](const Run& run) {
        if (run.log_problem.empty()) return false;
        if (left_out == nullptr || !by_study.contains(run.folder)) throw UserError(run.log_problem);
        problem = run.log_problem;
        left_out->push_back(run.folder.filename().string());
        return true;
    });
    if (runs.empty() && !problem.empty()) throw UserError(problem);
    name_among_themselves(runs);
    std::vector<RunPointer> shared;
    for (Run& run : runs) shared.push_back(std::make_shared<const Run>(std::move(run)));
    return shared;
}

RunPointer find_run(const std::vector<RunPointer>& runs, const std::string& word,
                    const std::string& option) {
    if (RunPointer named = find_named_run(runs, word)) return named;
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const RunPointer& run) {
        std::error_code ignored;
        return fs::equivalent(run->folder, word, ignored);
    });
    if (found != runs.end()) return *found;
    std::vector<std::string> ids;
    for (const RunPointer& run : runs) ids.push_back(run->id);
    throw UserError(option + " " + word + " is not among the runs" + suggestion(word, ids));
}

}  // namespace headroom
