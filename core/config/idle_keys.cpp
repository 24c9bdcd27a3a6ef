#include "core/config/idle_keys.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

using nlohmann::json;

/// A key that matters only where something else is chosen.
struct DependentKey {
    const char* key;
    const char* needs;  ///< completes "has no effect without ..."
    bool (*matters)(const ModelConfig&);
};

bool reads(const ModelConfig& m, const char* rule) {
    return m.wiring_choice.value_source == rule || m.wiring_choice.key_source == rule;
}

bool skips(const ModelConfig& m) {
    return reads(m, "skip");
}
bool mixes(const ModelConfig& m) {
    return m.wiring_choice.value_source == "res" ||
           (m.wiring_choice.skip_res && m.wiring_choice.value_source == "skip");
}
bool rotates(const ModelConfig& m) {
    return m.pos == Positions::kRope || (m.mla && m.mla->d_r > 0);
}

constexpr DependentKey kDependentKeys[] = {
    {"skip_layer", "value_source or key_source = skip", skips},
    {"skip_ratio", "value_source or key_source = skip", skips},
    {"inject", "value_source = skip",
     [](const ModelConfig& m) { return m.wiring_choice.value_source == "skip"; }},
    {"skip_res", "value_source = skip",
     [](const ModelConfig& m) { return m.wiring_choice.value_source == "skip"; }},
    {"res_lambda", "value_source = res or skip_res", mixes},
    {"cla_factor", "value_source or key_source = cla",
     [](const ModelConfig& m) { return reads(m, "cla"); }},
    {"dwa_dilation", "dense = true", [](const ModelConfig& m) { return m.dense; }},
    {"dwa_period", "dense = true", [](const ModelConfig& m) { return m.dense; }},
    {"n_stream", "hyper = hc or mhc",
     [](const ModelConfig& m) { return m.hyper != HyperKind::kNone; }},
    {"rope_theta", "pos = rope", rotates},
    {"rope_style", "pos = rope", rotates},
    {"qk_norm_eps", "qk_norm = true", [](const ModelConfig& m) { return m.qk_norm; }},
    {"nq_rank", "query = nonlinear",
     [](const ModelConfig& m) { return m.query.has(QueryMap::kNonlinear); }},
    {"nv_rank", "value = nonlinear",
     [](const ModelConfig& m) { return m.value.has(ValueMap::kNonlinear); }},
    {"norm_eps", "a norm",
     [](const ModelConfig& m) { return m.norm != NormKind::kNone || m.norm_f != NormKind::kNone; }},
};

/// What the key would be if nobody had given it; null where the rest does not stand without it.
json default_of(json model, const char* key) {
    model.erase(key);
    try {
        return to_json(parse_model_config(model, "")).value(key, json());
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

std::vector<std::string> idle_keys(const ModelConfig& model) {
    std::vector<std::string> idle;
    const json keys = to_json(model);
    for (const DependentKey& dependent : kDependentKeys) {
        if (dependent.matters(model) || !keys.contains(dependent.key)) continue;
        const json& value = keys.at(dependent.key);
        const json usual = default_of(keys, dependent.key);
        if (usual.is_null() || usual == value) continue;
        idle.push_back(fmt::format("model.{} = {} has no effect without {}", dependent.key,
                                   value.dump(), dependent.needs));
    }
    return idle;
}

}  // namespace headroom
