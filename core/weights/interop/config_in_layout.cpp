#include "core/weights/interop/config_in_layout.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/schema.h"

namespace headroom {
namespace {

using nlohmann::json;

/// Whether a key changes nothing of what this model computes, or is compared in another way: the
/// wiring as a table, and the columns of rotary pairs are permuted.
bool is_of_no_account(const std::string& key, const Job& job) {
    const Field& field = *find_field("model." + key);
    if (key == "block_size") return false;  // the other tool's files say it, too
    return field.concern != Concern::kFunction || key == "rope_style" || !is_active(field, job);
}

[[noreturn]] void refuse(const Layout& layout, const std::string& key, const json& ours,
                         const json& theirs) {
    throw UserError(fmt::format("model.{} = {} has no place in {}: it would come back as {}", key,
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
    Job job;
    job.model = config;
    compare("mlp_experts");  // before what they have capacity for
    for (const auto& [key, value] : ours.items()) {
        if (is_of_no_account(key, job)) continue;
        if (key == "bias" && !config.bias) continue;  // zeros do the same
        if (key != "attn_scale") compare(key);
    }
    compare("attn_scale");  // last: it follows from others
    return result;
}

}  // namespace headroom
