#include "core/config/model_defaults.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/base/nearest.h"
#include "core/config/architectures.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr int64_t kLargestWidth = 1 << 20;
constexpr int64_t kDefaultStreams = 4;

json base_keys(const std::string& base) {
    json keys{{"n_layer", 12},         {"n_head", 12},          {"d_model", 768},
              {"block_size", 1024},    {"rope_theta", 10000.0}, {"rope_style", "half"},
              {"query", "linear"},     {"key", "linear"},       {"value", "linear"},
              {"out_proj", "linear"},  {"qk_norm", false},      {"qk_norm_eps", 1e-6},
              {"topology", "serial"},  {"skip_attn", true},     {"skip_mlp", true},
              {"share_layers", false}, {"value_source", "own"}, {"key_source", "own"},
              {"skip_layer", 1},       {"skip_ratio", 0.5},     {"inject", "concat"},
              {"skip_res", false},     {"res_lambda", 0.5},     {"cla_factor", 2},
              {"wiring", nullptr},     {"mla", nullptr},        {"dense", false},
              {"dwa_dilation", 1},     {"dwa_period", 1},       {"hyper", "none"},
              {"bias", false},         {"causal", true},        {"init_std", 0.02}};
    const bool llama = base == "llama";
    keys["norm"] = llama ? "rmsnorm" : "layernorm";
    keys["norm_eps"] = llama ? 1e-6 : 1e-5;
    keys["pos"] = llama ? "rope" : "learned";
    keys["mlp"] = llama ? "swiglu" : "gelu";
    keys["tie"] = !llama;
    keys["init_residual_scale"] = !llama;
    return keys;
}

std::string nearest_head_counts(int64_t d_model, int64_t n_head) {
    int64_t below = std::min(n_head, d_model);
    while (below > 1 && d_model % below != 0) --below;
    int64_t above = n_head;
    while (above < d_model && d_model % above != 0) ++above;
    if (above > d_model || below == above) return fmt::format("{}", below);
    return fmt::format("{} or {}", below, above);
}

int64_t default_d_head(int64_t d_model, int64_t n_head) {
    if (d_model % n_head != 0)
        throw KeyError(UserError(fmt::format("model.n_head = {} does not divide model.d_model = {}",
                                             n_head, d_model),
                                 fmt::format("take {} heads, another width, or give model.d_head",
                                             nearest_head_counts(d_model, n_head))),
                       {"model.n_head", "model.d_model"});
    return d_model / n_head;
}

/// The given part of model.mla with the defaults of the rest.
json resolved_mla(const json& given, int64_t d_head) {
    if (given.is_null()) return given;
    json mla{{"d_c", 256}, {"d_r", 32}, {"d_nope", d_head}, {"d_v", d_head}};
    const std::vector<std::string> known{"d_c", "d_nope", "d_r", "d_v"};
    for (const auto& [key, value] : given.items()) {
        if (!mla.contains(key))
            throw KeyError(UserError(fmt::format("unknown key {} in model.mla{}", shown(key),
                                                 suggestion(key, known))),
                           {"model.mla"});
        const bool whole = value.is_number_integer() &&
                           (!value.is_number_unsigned() || value.get<uint64_t>() <= kLargestWidth);
        if (!whole || value.get<int64_t>() < (key == "d_r" ? 0 : 1) ||
            value.get<int64_t>() > kLargestWidth)
            throw KeyError(
                UserError(fmt::format("model.mla.{} = {} is not a width", key, shown(value)),
                          fmt::format("give a whole number up to {}", kLargestWidth)),
                {"model.mla"});
        mla[key] = value;
    }
    return mla;
}

/// Of a key that may differ by layer.
const json& in_first_layer(const json& value) {
    return value.is_array() ? value.front() : value;
}

double default_attn_scale(const json& keys) {
    const json& mla = keys.at("mla");
    const int64_t width = mla.is_null()
                              ? keys.at("d_head").get<int64_t>()
                              : mla.at("d_nope").get<int64_t>() + mla.at("d_r").get<int64_t>();
    const json &query = in_first_layer(keys.at("query")), &key = in_first_layer(keys.at("key"));
    const bool halved = query == "identity" || query == "nonlinear" || key == "identity";
    return (halved ? 0.5 : 1.0) / std::sqrt(static_cast<double>(width));
}

void fill(json& keys, const char* key, json value) {
    if (!keys.contains(key)) keys[key] = std::move(value);
}

void fill_derived(json& keys) {
    const int64_t n_layer = keys.at("n_layer"), n_head = keys.at("n_head"),
                  d_model = keys.at("d_model");
    fill(keys, "n_kv_head", n_head);
    if (!keys.contains("d_head")) keys["d_head"] = default_d_head(d_model, n_head);
    fill(keys, "d_ff", std::min(4 * d_model, kLargestWidth));
    fill(keys, "norm_f", keys.at("norm"));
    for (const char* rank : {"nq_rank", "nv_rank"})
        fill(keys, rank, std::max<int64_t>(1, d_model / 2));
    fill(keys, "n_stream", keys.at("hyper") == "none" ? 1 : kDefaultStreams);
    if (keys.value("yoco_split", int64_t{0}) == 0)
        keys["yoco_split"] = std::max<int64_t>(1, n_layer / 2);
    keys["mla"] = resolved_mla(keys.at("mla"), keys.at("d_head"));
    fill(keys, "attn_scale", default_attn_scale(keys));
}

json preset_keys(const json& given) {
    if (!given.contains("preset")) return json::object();
    const Preset* preset = find_preset(given.at("preset").get<std::string>());
    CHECK(preset != nullptr, "the name was checked as a choice");
    return parse_json(preset->model, preset->name);
}

/// The architecture's keys. Half of the heads for a grouped one, unless the preset groups already.
json arch_keys(const ArchitecturePreset& arch, int64_t n_head, const json& preset) {
    json keys = parse_json(arch.keys, arch.name);
    if (arch.halves_kv_heads && !preset.contains("n_kv_head"))
        keys["n_kv_head"] = std::max<int64_t>(1, n_head / 2);
    return keys;
}

const ArchitecturePreset& architecture(const std::string& name) {
    const ArchitecturePreset* preset = find_architecture(name);
    CHECK(preset != nullptr, "the name was checked as a choice");
    return *preset;
}

}  // namespace

nlohmann::json resolve_model_keys(const nlohmann::json& given, int64_t default_vocab_size) {
    const json preset = preset_keys(given);
    const auto chosen = [&](const char* key, const json& otherwise) {
        return given.value(key, preset.value(key, otherwise));
    };
    const ArchitecturePreset& arch = architecture(chosen("arch", "gpt2"));
    const std::string base = chosen("base", arch.base);
    json keys = base_keys(base);
    keys["vocab_size"] = default_vocab_size;
    const json from_arch = arch_keys(arch, chosen("n_head", keys.at("n_head")), preset);
    if (!given.contains("arch")) keys.update(from_arch);
    keys.update(preset);
    if (given.contains("arch")) keys.update(from_arch);
    keys.update(given);
    keys.erase("preset");
    keys["arch"] = arch.name;
    keys["base"] = base;
    fill_derived(keys);
    return keys;
}

}  // namespace headroom
