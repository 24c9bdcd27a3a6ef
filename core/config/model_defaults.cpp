#include "core/config/model_defaults.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/config/architectures.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using nlohmann::json;

json preset_keys(const json& given) {
    if (!given.contains("preset")) return json::object();
    const Preset* preset = find_preset(given.at("preset").get<std::string>());
    CHECK(preset != nullptr, "the name was checked as a choice");
    return parse_json(preset->model, preset->name);
}

const ArchitecturePreset& architecture(const std::string& name) {
    const ArchitecturePreset* preset = find_architecture(name);
    CHECK(preset != nullptr, "the name was checked as a choice");
    return *preset;
}

/// n_class is vocab_size by another name.
json with_class_count(json keys) {
    if (!keys.contains("n_class")) return keys;
    if (keys.contains("vocab_size"))
        throw KeyError(
            UserError("model.n_class and model.vocab_size say the same", "give one of them"),
            {"model.n_class", "model.vocab_size"});
    keys["vocab_size"] = keys.at("n_class");
    keys.erase("n_class");
    return keys;
}

}  // namespace

nlohmann::json resolve_model_keys(const nlohmann::json& given, KeysOf use) {
    const json preset = preset_keys(given);
    const json usual = ModelConfig{}.arch;
    const ArchitecturePreset& arch = architecture(given.value("arch", preset.value("arch", usual)));
    const json from_arch = parse_json(arch.keys, arch.name);
    json keys = json::object();
    if (!given.contains("arch")) keys.update(from_arch);
    keys.update(preset);
    if (given.contains("arch")) keys.update(from_arch);
    keys.update(with_class_count(given));
    keys.erase("preset");
    keys["arch"] = arch.name;
    if (given.contains("n_class") && keys.value("input", "tokens") != "images")
        throw KeyError(UserError("model.n_class counts classes of images, but the model reads "
                                 "tokens",
                                 "set model.input = images, or give model.vocab_size"),
                       {"model.n_class", "model.input"});
    OpenKeys("model", keys, use).fill();
    return keys;
}

}  // namespace headroom
