#include "panels/launch/launch_base.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "core/config/recipes.h"
#include "core/study/job_changes.h"
#include "panels/launch/launch_probes.h"

namespace headroom {
namespace {

using nlohmann::json;

std::string arch_of_preset(const std::string& name) {
    const Preset* preset = find_preset(name);
    return preset == nullptr ? "" : parse_json(preset->model, name).value("arch", "");
}

/// Text under a key of an object, "" if there is none.
std::string text_at(const json& object, const char* key) {
    const bool has = object.is_object() && object.contains(key) && object.at(key).is_string();
    return has ? object.at(key).get<std::string>() : "";
}

std::string study_preset(const LaunchPlace& place) {
    if (has_own_sizes(place)) return kStudySizes;
    const std::string preset = text_at(study_job(place).value("model", json::object()), "preset");
    return preset.empty() ? LaunchInput{}.preset : preset;
}

}  // namespace

std::string job_of_study(const std::string& plan_job, const std::shared_ptr<const Job>& first_run,
                         const std::string& study) {
    if (!parse_json_or_null(plan_job).empty() || !first_run) return plan_job;
    return dump_text(job_changes(json::object(), *first_run, study));
}

nlohmann::json study_job(const LaunchPlace& place) {
    json job = parse_json_or_null(place.study_job);
    if (!job.is_object()) return json::object();
    for (const char* section : {"model", "data", "train"})
        if (job.contains(section) && !job.at(section).is_object()) return json::object();
    return job;
}

std::string form_text(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? "" : value.dump();
}

bool has_own_sizes(const LaunchPlace& place) {
    const json job = study_job(place);
    return job.contains("model") && job.at("model").is_object() &&
           !job.at("model").contains("preset");
}

nlohmann::json base_document(const LaunchInput& input, const LaunchPlace& place) {
    json document = study_job(place);
    for (const char* key : {"name", "seed"}) document.erase(key);
    // Sizes that the study gives beside its preset belong to that preset.
    if (input.preset != study_preset(place) || !document.contains("model"))
        document["model"] = json::object();
    document["model"].erase("arch");
    if (input.preset != kStudySizes) document["model"]["preset"] = input.preset;
    // A recipe that a person chooses goes before what the study says.
    const auto named = input.values.find("train.recipe");
    const Recipe* recipe = named == input.values.end() ? nullptr : find_recipe(named->second);
    if (recipe == nullptr || !document.contains("train")) return document;
    const json keys = parse_json(recipe->keys, recipe->name);
    for (const auto& [key, value] : keys.items()) document["train"].erase(key);
    for (const char* key : {"recipe", "min_lr", "min_lr_share", "warmup_steps", "warmup_share"})
        document["train"].erase(key);
    return document;
}

LaunchInput own_input(const LaunchPlace& place) {
    LaunchInput input;
    input.preset = study_preset(place);
    std::string arch = text_at(study_job(place).value("model", json::object()), "arch");
    if (arch.empty()) arch = arch_of_preset(input.preset);
    if (!arch.empty()) input.variants = {arch};
    return input;
}

LaunchInput start_input(const LaunchPlace& place) {
    LaunchInput input = own_input(place);
    input.seeds = proposed_seeds(input, place);
    return input;
}

LaunchInput input_like(const Job& job, const LaunchPlace& place) {
    const json changes = job_changes(study_job(place), job, place.study);
    LaunchInput input = own_input(place);
    const json model = changes.value("model", json::object());
    if (const std::string preset = text_at(model, "preset"); !preset.empty())
        input = with_preset(std::move(input), preset);
    input.variants = {job.model.arch};
    for (const auto& [section, keys] : changes.items()) {
        if (!keys.is_object()) continue;
        for (const auto& [key, value] : keys.items())
            if (section != "model" || (key != "preset" && key != "arch"))
                input.values[section + "." + key] = form_text(value);
    }
    if (changes.contains("probes")) input = with_probes_of(std::move(input), changes["probes"]);
    int64_t seed = job.seed;
    Job same = job;
    same.name.clear();
    for (const auto& [id, other] : place.runs) {
        if (!other) continue;
        Job its = *other;
        its.name.clear();
        same.seed = its.seed;
        if (its == same) seed = std::max(seed, its.seed);
    }
    input.seeds = fmt::format("{}", seed + 1);
    return input;
}

LaunchInput input_of_model(const ModelConfig& model, const std::shared_ptr<const Job>& trained,
                           const LaunchPlace& place) {
    Job job;
    if (trained) {
        job = *trained;
    } else {
        json document = study_job(place);
        document["model"] = to_json(model);
        job = parse_job(document, "study.json");
    }
    job.model = model;
    LaunchInput input = input_like(job, place);
    input.seeds = fmt::format("{}", job.seed);
    if (model.custom_wiring) input.name = "drawn";
    return input;
}

LaunchInput with_preset(LaunchInput input, const std::string& preset) {
    const std::string before = arch_of_preset(input.preset), now = arch_of_preset(preset);
    if (!now.empty())
        input.variants = {now};
    else if (!before.empty() && input.variants == std::vector{before})
        input.variants = LaunchInput{}.variants;
    for (const std::string& path : input.matched) input.values.erase(path);
    input.matched.clear();
    input.sizes.clear();
    input.preset = preset;
    return input;
}

LaunchInput with_value(LaunchInput input, const std::string& path, const std::string& text) {
    input.matched.erase(path);
    if (text.empty())
        input.values.erase(path);
    else
        input.values[path] = text;
    if (path.starts_with("model.")) input.sizes.clear();
    return input;
}

LaunchInput with_variant(LaunchInput input, const std::string& arch, bool chosen) {
    std::erase(input.variants, arch);
    if (chosen)
        input.variants.push_back(arch);
    else
        input.sizes.erase(arch);
    return input;
}

LaunchInput without_change(LaunchInput input, const LaunchPlace& place, const std::string& path) {
    if (path == "model.preset") return with_preset(std::move(input), study_preset(place));
    if (path.starts_with(kSizesOf)) {
        input.sizes.erase(path.substr(sizeof(kSizesOf) - 1));
        return input;
    }
    if (path == "probes") {
        input.probes.reset();
        input.probe_options.clear();
        return input;
    }
    return with_value(std::move(input), path, "");
}

}  // namespace headroom
