#include "core/account/compare_models.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/config/job_keys.h"
#include "core/model/parameters.h"

namespace headroom {
namespace {

using nlohmann::json;
using RoleCounts = std::map<ParameterRole, CountPair>;

constexpr int kOutsideBlocks = -1;  ///< ParameterSpec::layer of tensors outside the blocks

std::string text_of(const json& value, const Field& field) {
    if (value.is_string()) return value.get<std::string>();
    return field.path == "model.wiring" && value.is_object() ? "table" : value.dump();
}

/// Whether the key stands at what the model's other keys imply.
bool is_implied(const json& keys, const Field& field, const json& value) {
    return !value.is_null() && field.path != "model.vocab_size" &&
           implied_value({{"model", keys}}, field) == value;
}

std::vector<ChangedKey> changed_keys(const ModelConfig& model, const ModelConfig& baseline) {
    const json a = to_json(model), b = to_json(baseline);
    std::vector<ChangedKey> changed;
    for (const KeyDifference& difference : key_differences(baseline, model)) {
        const Field& field = *difference.field;
        const json after = a.value(field.key(), json()), before = b.value(field.key(), json());
        changed.push_back({field.key(), text_of(after, field), text_of(before, field),
                           is_implied(a, field, after) && is_implied(b, field, before)});
    }
    return changed;
}

/// Parameters of every layer and role; the layer -1 is what stands outside the blocks.
std::map<int, RoleCounts> count_places(const ModelConfig& model, const ModelConfig& baseline) {
    std::map<int, RoleCounts> places;
    for (const ParameterSpec& spec : parameter_specs(model))
        places[spec.layer][spec.role].model += spec.count();
    for (const ParameterSpec& spec : parameter_specs(baseline))
        places[spec.layer][spec.role].baseline += spec.count();
    return places;
}

std::vector<RoleDifference> differing(const RoleCounts& counts) {
    std::vector<RoleDifference> roles;
    for (const auto& [role, pair] : counts)
        if (pair.difference() != 0) roles.push_back({std::string(name_of(role)), pair});
    return roles;
}

void add_parameters(ModelDifference& d, const ModelConfig& model, const ModelConfig& baseline) {
    RoleCounts all;
    for (const auto& [layer, counts] : count_places(model, baseline)) {
        if (layer == kOutsideBlocks) d.outside_roles = differing(counts);
        for (const auto& [role, pair] : counts) {
            all[role].model += pair.model;
            all[role].baseline += pair.baseline;
            if (layer == kOutsideBlocks) continue;
            CountPair& in_layer = d.layers[static_cast<size_t>(layer)].params;
            in_layer.model += pair.model;
            in_layer.baseline += pair.baseline;
        }
        if (layer != kOutsideBlocks) d.layers[static_cast<size_t>(layer)].roles = differing(counts);
    }
    for (const auto& [role, pair] : all) d.roles.push_back({std::string(name_of(role)), pair});
    const ParameterCount a = count_parameters(model), b = count_parameters(baseline);
    d.params_total = {a.total, b.total};
    d.params_active = {a.active, b.active};
    d.params_non_embedding = {a.non_embedding, b.non_embedding};
}

/// Writes one model's side of the layers' heads and cache.
void add_side(ModelDifference& d, const ModelConfig& model, int64_t CountPair::*side) {
    const CacheCount cache = count_cache(model);
    d.cache_numbers.*side = cache.numbers_per_token;
    d.cache_bytes.*side = cache.bytes_per_token(d.cache_dtype);
    for (size_t i = 0; i < cache.layers.size(); ++i) {
        d.layers[i].own_key_heads.*side = model.wiring.own_key_heads[i];
        d.layers[i].own_value_heads.*side = model.wiring.own_value_heads[i];
        d.layers[i].cache_numbers.*side = cache.layers[i].numbers();
    }
}

json pair_to_json(const CountPair& pair) {
    return {{"model", pair.model}, {"baseline", pair.baseline}, {"difference", pair.difference()}};
}

json roles_to_json(const std::vector<RoleDifference>& roles) {
    json object = json::object();
    for (const RoleDifference& role : roles) object[role.role] = pair_to_json(role.params);
    return object;
}

}  // namespace

std::string change_text(const CountPair& pair) {
    const int64_t difference = pair.difference();
    std::string digits = fmt::format("{}{}", difference > 0 ? "+" : "", grouped_digits(difference));
    if (difference == 0 || pair.baseline == 0) return digits;
    const double percent =
        100.0 * static_cast<double>(difference) / static_cast<double>(pair.baseline);
    // Two digits behind the point, or two that are not 0.
    return std::abs(percent) < 0.01 ? fmt::format("{} ({:+.2g} %)", digits, percent)
                                    : fmt::format("{} ({:+.2f} %)", digits, percent);
}

ModelDifference compare_models(const ModelConfig& model, const ModelConfig& baseline,
                               const CompareOptions& options) {
    ModelDifference d;
    d.seq_len = options.seq_len > 0 ? options.seq_len : baseline.block_size;
    d.cache_dtype = options.cache_dtype;
    d.keys = changed_keys(model, baseline);
    d.layers.resize(static_cast<size_t>(std::max(model.n_layer, baseline.n_layer)));
    for (size_t i = 0; i < d.layers.size(); ++i) d.layers[i].layer = static_cast<int>(i);
    add_parameters(d, model, baseline);
    add_side(d, model, &CountPair::model);
    add_side(d, baseline, &CountPair::baseline);
    const FlopCount a = count_flops(model, d.seq_len), b = count_flops(baseline, d.seq_len);
    d.flops_forward = {a.forward(), b.forward()};
    d.flops_training = {a.training(), b.training()};
    return d;
}

nlohmann::json to_json(const ModelDifference& d) {
    json keys = json::array(), layers = json::array();
    for (const ChangedKey& key : d.keys)
        keys.push_back({{"key", "model." + key.key},
                        {"model", key.model},
                        {"baseline", key.baseline},
                        {"implied", key.implied}});
    for (const LayerDifference& layer : d.layers)
        layers.push_back({{"layer", layer.layer},
                          {"params", pair_to_json(layer.params)},
                          {"params_by_role", roles_to_json(layer.roles)},
                          {"own_key_heads", pair_to_json(layer.own_key_heads)},
                          {"own_value_heads", pair_to_json(layer.own_value_heads)},
                          {"kv_numbers_per_token", pair_to_json(layer.cache_numbers)}});
    return {{"changed_keys", std::move(keys)},
            {"params_total", pair_to_json(d.params_total)},
            {"params_active", pair_to_json(d.params_active)},
            {"params_non_embedding", pair_to_json(d.params_non_embedding)},
            {"params_by_role", roles_to_json(d.roles)},
            {"params_outside_layers", roles_to_json(d.outside_roles)},
            {"flops_per_token", pair_to_json(d.flops_training)},
            {"flops_per_token_forward", pair_to_json(d.flops_forward)},
            {"kv_numbers_per_token", pair_to_json(d.cache_numbers)},
            {"kv_bytes_per_token", pair_to_json(d.cache_bytes)},
            {"kv_dtype", std::string(name_of(d.cache_dtype))},
            {"seq_len", d.seq_len},
            {"layers", std::move(layers)}};
}

}  // namespace headroom
