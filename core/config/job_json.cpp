#include "core/config/job_json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/base/nearest.h"
#include "core/config/field_binding.h"
#include "core/config/job_check.h"
#include "core/config/model_check.h"
#include "core/config/model_defaults.h"
#include "core/config/recipes.h"
#include "core/wiring/wiring_json.h"

namespace headroom {
namespace {

using nlohmann::json;

/// Runs `read` and names the source in front of what it complains about.
template <class Read>
auto naming(const std::string& source, Read read) {
    try {
        return read();
    } catch (const KeyError& error) {
        if (source.empty()) throw;
        throw KeyError(UserError(fmt::format("{}: {}", source, error.what())), error.keys());
    } catch (const UserError& error) {
        if (source.empty()) throw;
        throw UserError(fmt::format("{}: {}", source, error.what()));
    }
}

bool is_section(const std::string& key) {
    return key == "model" || key == "data" || key == "train";
}

std::vector<std::string> known_keys(const std::string& section) {
    std::vector<std::string> keys;
    for (const Field& field : job_schema())
        if (field.section() == section) keys.push_back(field.key());
    if (section.empty()) keys.insert(keys.end(), {"model", "data", "train"});
    return keys;
}

[[noreturn]] void refuse_unknown(const std::string& section, const std::string& key) {
    const std::string place = section.empty() ? "" : fmt::format(" in \"{}\"", section);
    if (const Field* dotted = find_field(key); dotted != nullptr && section.empty())
        throw UserError(
            fmt::format("unknown key {}", shown(key)),
            fmt::format("write \"{}\" inside \"{}\"", dotted->key(), dotted->section()));
    for (const Field& field : job_schema())
        if (field.key() == key)
            throw UserError(fmt::format("unknown key {}{}; it belongs {}", shown(key), place,
                                        field.section().empty()
                                            ? "at the top level"
                                            : fmt::format("into \"{}\"", field.section())));
    throw UserError(
        fmt::format("unknown key {}{}{}", shown(key), place, suggestion(key, known_keys(section))));
}

/// Whole numbers written as 5e2 become integers, also in a list by layer.
json whole_numbers(const json& value) {
    if (!value.is_array()) return value.get<int64_t>();
    json list = json::array();
    for (const json& entry : value) list.push_back(entry.get<int64_t>());
    return list;
}

/// Checks every key of one section by itself.
json checked_section(const json& values, const std::string& section) {
    if (!values.is_object())
        throw UserError(fmt::format("\"{}\" = {} is not a section", section, shown(values)),
                        "write { ... }");
    json checked = json::object();
    for (const auto& [key, value] : values.items()) {
        if (section.empty() && is_section(key)) continue;
        const Field* field = find_field(section.empty() ? key : section + "." + key);
        if (field == nullptr || field->section() != section) refuse_unknown(section, key);
        check_value(*field, value);
        checked[key] = field->type == FieldType::kInteger ? whole_numbers(value) : value;
    }
    return checked;
}

void set_members(Job& job, const json& values, const std::string& section) {
    for (const BoundField& bound : bound_fields())
        if (bound.field.section() == section && values.contains(bound.field.key()))
            bound.set(job, values.at(bound.field.key()));
}

void set_model(Job& job, const json& section, KeysOf use) {
    const json given = checked_section(section, "model");
    const json keys = resolve_model_keys(given, use);
    set_members(job, keys, "model");
    ModelConfig& model = job.model;
    const json& table = keys.at("wiring");
    model.custom_wiring = !table.is_null();
    if (model.custom_wiring)
        model.wiring = about_key("model.wiring", [&] {
            return parse_wiring(table, model.n_layer, model.n_head, model.n_kv_head,
                                model.wiring_choice);
        });
    else
        resolve_wiring(model);
    check_model(model);
}

/// The given keys over those of the recipe that they name. Of two keys that say one thing a given
/// one takes the place of either in the recipe.
json with_recipe(const json& given) {
    json keys = json::object();
    if (given.contains("recipe"))
        keys = parse_json(find_recipe(given.at("recipe").get<std::string>())->keys, "recipe");
    for (const Field& field : job_schema()) {
        if (field.section() != "train" || field.instead_of.empty()) continue;
        const std::string share = field.key(), number = find_field(field.instead_of)->key();
        if (given.contains(share) && given.contains(number))
            throw KeyError(
                UserError(fmt::format("{} and {} say the same", field.path, field.instead_of),
                          "give one of them"),
                {field.path, field.instead_of});
        if (!given.contains(share) && !given.contains(number)) continue;
        keys.erase(share);
        keys.erase(number);
    }
    keys.update(given);
    return keys;
}

}  // namespace

Job parse_job(const nlohmann::json& document, const std::string& source) {
    return naming(source, [&] {
        if (!document.is_object())
            throw UserError("the document is not a job", "write { \"model\": { ... }, ... }");
        Job job;
        set_members(job, checked_section(document, ""), "");
        set_members(job, checked_section(document.value("data", json::object()), "data"), "data");
        json train = with_recipe(checked_section(document.value("train", json::object()), "train"));
        set_model(job, document.value("model", json::object()), KeysOf::kJob);
        OpenKeys("train", train, KeysOf::kJob, &job.model).fill();
        set_members(job, train, "train");
        check_job(job);
        return job;
    });
}

Job preset_job(const std::string& preset) {
    return parse_job({{"model", {{"preset", preset}}}}, "preset " + preset);
}

ModelConfig parse_model_config(const nlohmann::json& model, const std::string& source) {
    return naming(source, [&] {
        Job job;
        set_model(job, model, KeysOf::kCheckpoint);
        return job.model;
    });
}

nlohmann::json to_json(const Job& job) {
    json document = json::object();
    for (const BoundField& bound : bound_fields()) {
        const Field& field = bound.field;
        if (field.input_only || (field.path == "model.wiring" && !job.model.custom_wiring))
            continue;
        json& section = field.section().empty() ? document : document[field.section()];
        section[field.key()] = bound.get(job);
    }
    return document;
}

nlohmann::json to_json(const ModelConfig& config) {
    Job job;
    job.model = config;
    return to_json(job).at("model");
}

void resolve_wiring(ModelConfig& config) {
    if (config.custom_wiring) return;
    check_wiring_size(config.n_layer, config.n_head, config.n_kv_head);
    config.wiring = build_wiring(
        config.wiring_choice, static_cast<int>(config.n_layer), static_cast<int>(config.n_head),
        static_cast<int>(config.n_kv_head), config.mla ? config.mla->d_c : 0);
}

}  // namespace headroom
