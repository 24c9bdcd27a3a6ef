#include "app/describe/model_source.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/job_loading.h"
#include "app/vocabulary.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "core/config/set_key.h"
#include "core/study/job_paths.h"

namespace headroom {

using nlohmann::json;

ModelSource ModelSource::read(const std::string& preset, const std::string& job_file,
                              const std::vector<std::string>& sets, json& document) {
    if (!preset.empty() && !job_file.empty())
        throw UserError("two models are given", "give --preset or --job, not both");
    if (preset.empty() && job_file.empty())
        throw UserError("no model is given",
                        "give one of --preset NAME, --job FILE and --checkpoint FILE");
    ModelSource source;
    source.preset_alone = !preset.empty();
    if (source.preset_alone) {
        document = {{"model", {{"preset", preset}}}};
        apply_sets(document, sets);
    } else {
        document = load_job_document(job_file, sets);
    }
    source.job = parse_job(document, source.preset_alone ? "" : job_file);
    if (!source.preset_alone)
        make_paths_absolute(source.job, std::filesystem::path(job_file).parent_path());
    source.title = source.preset_alone ? preset : source.job.name;
    return source;
}

ModelSource ModelSource::read_checkpoint(const std::string& path,
                                         const std::vector<std::string>& sets, json& document) {
    const CheckpointWeights weights = open_checkpoint({path, {.sets = sets}});
    ModelSource source;
    source.title = fmt::format("{} ({})", path, weights.format());
    document = {{"model", to_json(weights.config())}};
    source.job = parse_job(document, path);  // with the defaults that such a model has
    return source;
}

ModelSource ModelSource::read_either(const std::string& name, const std::string& option) {
    json document;
    if (find_preset(name) != nullptr) return read(name, "", {}, document);
    if (names_checkpoint(name)) return read_checkpoint(name, {}, document);
    if (std::filesystem::exists(name)) return read("", name, {}, document);
    std::vector<std::string> known;
    for (const Preset& preset : presets()) known.push_back(preset.name);
    const std::string near = nearest(name, known);
    throw UserError(fmt::format("{} {} is no preset, job file or checkpoint{}", option, shown(name),
                                near.empty() ? "; `headroom presets` lists the presets"
                                             : fmt::format("; did you mean \"{}\"?", near)));
}

void resolve_vocabularies(ModelSource& model, ModelSource* other) {
    const auto resolve_own = [](ModelSource& source) {
        if (source.preset_alone) return;
        source.vocab_from = resolve_vocabulary(source.job, false);
    };
    const auto resolve_preset = [](ModelSource& source, const ModelSource* beside) {
        if (source.job.model.vocab_size > 0) return;
        const bool takes = beside != nullptr && beside->job.model.vocab_size > 0;
        if (!takes) {
            source.vocab_from = resolve_vocabulary(source.job, true);
            return;
        }
        source.job.model.vocab_size = beside->job.model.vocab_size;
        source.vocab_from = "of " + beside->title;
    };
    resolve_own(model);
    if (other != nullptr) resolve_own(*other);
    resolve_preset(model, other);
    if (other != nullptr) resolve_preset(*other, &model);
}

}  // namespace headroom
