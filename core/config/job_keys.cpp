#include "core/config/job_keys.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/config/model_defaults.h"

namespace headroom {
namespace {

using nlohmann::json;

json value_or_null(const json& document, const Field& field) {
    const json* value = find_value(document, field);
    return value == nullptr ? json() : *value;
}

std::vector<KeyDifference> differences(const json& before, const json& after) {
    std::vector<KeyDifference> found;
    for (const Field& field : job_schema()) {
        const json a = value_or_null(before, field), b = value_or_null(after, field);
        if (a != b) found.push_back({&field, a.dump(), b.dump()});
    }
    return found;
}

}  // namespace

const nlohmann::json* find_value(const nlohmann::json& document, const Field& field) {
    const json* section = &document;
    if (!field.section().empty()) {
        if (!document.contains(field.section())) return nullptr;
        section = &document.at(field.section());
    }
    return section->contains(field.key()) ? &section->at(field.key()) : nullptr;
}

nlohmann::json implied_value(const nlohmann::json& document, const Field& field) {
    json others = document;
    (field.section().empty() ? others : others[field.section()]).erase(field.key());
    try {
        if (field.section() == "model")
            return resolve_model_keys(others.at("model"), KeysOf::kJob).value(field.key(), json());
        return value_or_null(to_json(parse_job(others, "")), field);
    } catch (const UserError&) {
        return {};
    }
}

std::vector<KeyDifference> key_differences(const Job& before, const Job& after) {
    return differences(to_json(before), to_json(after));
}

std::vector<KeyDifference> key_differences(const ModelConfig& before, const ModelConfig& after) {
    return differences({{"model", to_json(before)}}, {{"model", to_json(after)}});
}

/// Said where a wiring was asked for of which so few heads or layers leave nothing, in one of its
/// tables or in all of it.
static std::string unshared_wiring(const ModelConfig& model) {
    const WiringChoice& choice = model.wiring_choice;
    const Wiring& wiring = model.wiring;
    const bool values = choice.value_source != "own", keys = choice.key_source != "own";
    if (model.custom_wiring || (!values && !keys)) return "";
    const int64_t width =
        wiring.latents.empty() ? 0 : wiring.latents[0].own + wiring.latents[0].shared;
    const Wiring own = build_wiring({}, wiring.n_layer, wiring.n_head, wiring.n_kv_head, width);
    const std::string ratio = choice.value_source == "skip" || choice.key_source == "skip"
                                  ? fmt::format(" with skip_ratio = {}", choice.skip_ratio)
                                  : "";
    const auto says = [&](const std::string& what) {
        return fmt::format(
            "{} shares nothing between {} layers of {} key/value heads{}: the model is the same "
            "without it",
            what, wiring.n_layer, wiring.n_kv_head, ratio);
    };
    if (wiring == own) return says("the wiring of model.arch = " + model.arch);
    if (!wiring.latents.empty()) return "";  // which both tables are made of
    if (values && wiring.values == own.values)
        return says("model.value_source = " + choice.value_source);
    if (keys && wiring.keys == own.keys) return says("model.key_source = " + choice.key_source);
    return "";
}

/// Said where a map of keys or values is given to layers that project none, which read others': of
/// a list its entries, of one word only where no layer projects any. "" where all count.
template <class T>
static std::string maps_of_nothing(const char* key, const PerLayer<T>& maps,
                                   const std::vector<int>& own_heads) {
    std::vector<size_t> layers;
    for (size_t layer = 0; layer < own_heads.size(); ++layer)
        if (own_heads[layer] == 0 && maps.at(static_cast<int64_t>(layer)) != T::kLinear)
            layers.push_back(layer);
    if (layers.empty() || (maps.uniform() && layers.size() < own_heads.size())) return "";
    return fmt::format("model.{0} has no effect in layer{1} {2} without {0}s of {3} own", key,
                       layers.size() == 1 ? "" : "s", fmt::join(layers, ", "),
                       layers.size() == 1 ? "its" : "their");
}

/// Said of places that every token finds, whatever the router chooses.
static std::string capacity_of_all(const ModelConfig& model) {
    const auto drops = [&](int64_t layer) {
        return model.mlp_capacity * static_cast<double>(model.mlp_top_k.at(layer)) <
               static_cast<double>(model.mlp_experts.at(layer));
    };
    const std::vector<int64_t> routers = model.router_layers();
    if (routers.empty() || std::any_of(routers.begin(), routers.end(), drops)) return "";
    return fmt::format(
        "model.mlp_capacity = {} has no effect without mlp_experts > mlp_capacity * mlp_top_k",
        model.mlp_capacity);
}

std::vector<std::string> ignored_keys(const Job& job) {
    const ModelConfig& model = job.model;
    std::vector<std::string> ignored;
    for (const std::string& line :
         {unshared_wiring(model), maps_of_nothing("key", model.key, model.wiring.own_key_heads),
          maps_of_nothing("value", model.value, model.wiring.own_value_heads),
          capacity_of_all(model)})
        if (!line.empty()) ignored.push_back(line);
    const json document = to_json(job);
    for (const Field& field : job_schema()) {
        const json* value = find_value(document, field);
        if (value == nullptr || is_active(field, job)) continue;
        const json usual = implied_value(document, field);
        if (usual.is_null() || usual == *value) continue;
        ignored.push_back(fmt::format("{} = {} has no effect without {}", field.path, value->dump(),
                                      field.active_when.needs));
    }
    return ignored;
}

}  // namespace headroom
