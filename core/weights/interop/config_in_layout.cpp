#include "core/weights/interop/config_in_layout.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

using nlohmann::json;

/// Keys that say where keys and values come from: the wiring itself is compared.
bool is_wiring_key(const std::string& key) {
    for (const char* name : {"value_source", "key_source", "skip_layer", "skip_ratio", "inject",
                             "skip_res", "res_lambda", "cla_factor", "yoco_split", "wiring"})
        if (key == name) return true;
    return false;
}

/// Whether a key has no effect on what this model computes.
bool is_idle(const std::string& key, const ModelConfig& model) {
    if (key == "arch" || key == "base" || key == "init_residual_scale") return true;
    if (key == "rope_style") return true;  // columns are permuted instead
    if (key == "rope_theta") return model.pos != Positions::kRope;
    if (key == "qk_norm_eps") return !model.qk_norm;
    if (key == "nq_rank") return !model.query.has(QueryMap::kNonlinear);
    if (key == "nv_rank") return !model.value.has(ValueMap::kNonlinear);
    if (key == "n_stream") return model.hyper == HyperKind::kNone;
    if (key == "dwa_dilation" || key == "dwa_period") return !model.dense;
    return false;
}

[[noreturn]] void refuse(const Layout& layout, const std::string& key, const json& ours,
                         const json& theirs) {
    throw UserError(fmt::format("model.{} = {} has no place in {}, where it is {}", key,
                                shown(ours), layout.name, shown(theirs)),
                    "keep it as a checkpoint of headroom");
}

void compare_wirings(const Layout& layout, const ModelConfig& ours, const ModelConfig& theirs,
                     const json& our_keys, const json& their_keys) {
    if (ours.wiring.keys == theirs.wiring.keys && ours.wiring.values == theirs.wiring.values)
        return;
    if (ours.custom_wiring) refuse(layout, "wiring", "a table of its own", nullptr);
    for (const char* key : {"n_kv_head", "value_source", "key_source"})
        if (our_keys.at(key) != their_keys.at(key))
            refuse(layout, key, our_keys.at(key), their_keys.at(key));
    throw UserError(fmt::format("the head wiring has no place in {}", layout.name),
                    "keep it as a checkpoint of headroom");
}

}  // namespace

ModelConfig config_in_layout(const Layout& layout, const ModelConfig& config) {
    // Written as the other tool would and read back: what comes back otherwise, it cannot express.
    const std::string source(layout.name);
    const Translation translation =
        layout.translate(ConfigReader(json(layout.config_of(config)), source));
    ModelConfig result = parse_model_config(*translation.keys, source);
    const json ours = to_json(config), theirs = to_json(result);
    compare_wirings(layout, config, result, ours, theirs);
    const auto compare = [&](const std::string& key) {
        if (ours.at(key) != theirs.at(key)) refuse(layout, key, ours.at(key), theirs.at(key));
    };
    for (const auto& [key, value] : ours.items()) {
        if (is_wiring_key(key) || is_idle(key, config)) continue;
        if (key == "bias" && !config.bias) continue;  // zeros do the same
        if (key != "attn_scale") compare(key);
    }
    compare("attn_scale");  // last: it follows from others
    return result;
}

}  // namespace headroom
