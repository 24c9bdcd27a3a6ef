#include "app/figure/model_arguments.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "app/describe/model_source.h"
#include "app/vocabulary.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/study_folder.h"
#include "panels/study/study_reader.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// A picture needs no data: a vocabulary that they would have to tell stays unknown without them.
void ask_data_for_vocabulary(Job& job) {
    try {
        resolve_vocabulary(job, false);
    } catch (const std::exception&) {
        job.model.vocab_size = 0;
    }
}

NamedModel named_model(std::string name, Job job) {
    NamedModel named{std::move(name), job.model};
    named.job = std::make_shared<const Job>(std::move(job));
    return named;
}

NamedModel read_run(const fs::path& folder) {
    Job job = load_run_job(RunFolder{folder});
    ask_data_for_vocabulary(job);
    const bool named = !job.name.empty() && job.name != Job{}.name;
    std::string name = named ? job.name : folder.filename().string();
    return named_model(std::move(name), std::move(job));
}

/// The run folders behind one argument.
std::vector<fs::path> run_folders_of(const std::string& argument) {
    const fs::path path = fs::absolute(argument).lexically_normal();
    const fs::path folder = path.filename().empty() ? path.parent_path() : path;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw UserError(argument + " is no folder", fs::exists(folder, ignored)
                                                        ? "give a job file by --job"
                                                        : "give a run folder or a study folder");
    if (is_run({folder})) return {folder};
    if (!fs::is_directory(StudyFolder{folder}.runs(), ignored))
        throw UserError(
            argument + " is neither a run folder (no job.json or log.h5) nor a study (no runs/)",
            "give a run folder or a study folder");
    std::vector<fs::path> folders;
    for (const RunFolder& run : list_runs(folder)) folders.push_back(run.root);
    if (folders.empty())
        throw UserError("no run of " + argument + " has a job yet",
                        "start it first: headroom study run " + argument);
    return folders;
}

/// Of the study that a word names, or that its run lies in, by the runs' folders. Logs are not read
/// for them.
std::map<fs::path, int> colors_of(const std::string& argument) {
    const fs::path path = fs::weakly_canonical(argument);
    const fs::path study = is_run({path}) ? path.parent_path().parent_path() : path;
    std::error_code ignored;
    std::map<fs::path, int> colors;
    if (!fs::is_directory(StudyFolder{study}.runs(), ignored)) return colors;
    const StudyPointer known = StudyReader(study, {.rows = RunReader::Rows::kEnd}).look();
    for (const RunPointer& run : known->runs)
        colors[fs::weakly_canonical(run->folder)] = run->color;
    return colors;
}

}  // namespace

std::vector<NamedModel> read_models(const std::vector<std::string>& presets,
                                    const std::vector<std::string>& job_files,
                                    const std::vector<std::string>& run_folders,
                                    const std::vector<std::string>& sets) {
    if (presets.empty() && job_files.empty() && run_folders.empty())
        throw UserError("no model is named", "give --preset NAME, --job FILE or run folders");
    if (!sets.empty() && presets.empty() && job_files.empty())
        throw UserError("--set changes presets and job files, not runs",
                        "give the run's job.json by --job, or leave --set out");
    std::vector<NamedModel> models;
    nlohmann::json document;
    for (const std::string& preset : presets) {
        ModelSource source = ModelSource::read(preset, "", sets, document);
        models.push_back(named_model(source.title, std::move(source.job)));
    }
    for (const std::string& file : job_files) {
        ModelSource source = ModelSource::read("", file, sets, document);
        ask_data_for_vocabulary(source.job);
        models.push_back(named_model(source.title, std::move(source.job)));
    }
    const auto first_run = static_cast<std::ptrdiff_t>(models.size());
    for (const std::string& argument : run_folders) {
        const std::vector<fs::path> folders = run_folders_of(argument);
        const std::map<fs::path, int> colors = colors_of(argument);
        for (const fs::path& folder : folders) {
            NamedModel model = read_run(folder);
            if (const auto color = colors.find(fs::weakly_canonical(folder)); color != colors.end())
                model.color = color->second;
            if (std::none_of(models.begin() + first_run, models.end(),
                             [&](const NamedModel& other) { return other.model == model.model; }))
                models.push_back(std::move(model));
        }
    }
    return models;
}

}  // namespace headroom
