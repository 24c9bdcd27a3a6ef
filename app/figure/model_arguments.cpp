#include "app/figure/model_arguments.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/describe/model_source.h"
#include "app/vocabulary.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/study/run_folder.h"

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

NamedModel read_run(const fs::path& folder) {
    Job job = load_job(RunFolder{folder}.job());
    ask_data_for_vocabulary(job);
    return {folder.filename().string(), std::move(job.model)};
}

/// The models of a run or of a study; of equal ones, such as those of several seeds, the first.
void append_runs(const std::string& argument, std::vector<NamedModel>& models) {
    const fs::path path = fs::absolute(argument).lexically_normal();
    const fs::path folder = path.filename().empty() ? path.parent_path() : path;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw UserError(argument + " is no folder", "give a run folder or a study folder");
    if (fs::exists(RunFolder{folder}.job(), ignored)) {
        models.push_back(read_run(folder));
        return;
    }
    if (!fs::is_directory(folder / "runs", ignored))
        throw UserError(argument + " is neither a run folder (no job.json) nor a study (no runs/)",
                        "give a run folder or a study folder");
    const size_t before = models.size();
    for (const RunFolder& run : list_runs(folder)) {
        NamedModel model = read_run(run.root);
        const bool known =
            std::any_of(models.begin() + static_cast<std::ptrdiff_t>(before), models.end(),
                        [&](const NamedModel& other) { return other.model == model.model; });
        if (!known) models.push_back(std::move(model));
    }
    if (models.size() == before)
        throw UserError("no run of " + argument + " has a job.json yet",
                        "start it first: headroom study run " + argument);
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
        models.push_back({source.title, std::move(source.job.model)});
    }
    for (const std::string& file : job_files) {
        ModelSource source = ModelSource::read("", file, sets, document);
        ask_data_for_vocabulary(source.job);
        models.push_back({source.title, std::move(source.job.model)});
    }
    for (const std::string& folder : run_folders) append_runs(folder, models);
    return models;
}

}  // namespace headroom
