#include "core/weights/interop/foreign_config.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct FoundConfig {
    ConfigReader reader;
    bool is_there = true;
};

FoundConfig find_config(const TensorSet& set, const fs::path& given) {
    const fs::path path = given.empty() ? config_beside(set) : given;
    if (!path.empty()) return {ConfigReader(load_json(path), path.string())};
    for (const char* entry : {"model_args", "config"}) {
        const auto found = set.metadata().find(entry);
        const std::string source = fmt::format("{}: {}", set.path().string(), entry);
        if (found != set.metadata().end())
            return {ConfigReader(parse_json(found->second, source), source)};
    }
    return {ConfigReader(json::object(), set.path().string()), false};
}

void apply(const std::vector<std::string>& sets, json& keys) {
    json document{{"model", keys}};
    for (const std::string& assignment : sets) {
        if (!assignment.starts_with("model."))
            throw UserError(fmt::format("--set {} is not about the model", shown(assignment)),
                            "a checkpoint has only keys of the section \"model\"");
        apply_set(document, assignment);
    }
    keys = document.at("model");
}

/// Shortens the longest sequence to what we compute as the other tool does. `is_own` tells that a
/// person gave it.
void limit_block_size(const Translation& translation, bool is_own, const std::string& source,
                      json& keys, std::vector<std::string>& notes) {
    if (translation.longest <= 0 || !keys.contains("block_size") ||
        !keys.at("block_size").is_number_integer() ||
        keys.at("block_size").get<int64_t>() <= translation.longest)
        return;
    if (is_own)
        throw UserError(fmt::format("{}: model.block_size = {} is too long: {}", source,
                                    shown(keys.at("block_size")), translation.longest_because),
                        fmt::format("give at most {}", translation.longest));
    keys["block_size"] = translation.longest;
    notes.push_back(
        fmt::format("model.block_size = {}: {}", translation.longest, translation.longest_because));
}

}  // namespace

fs::path config_beside(const TensorSet& set) {
    const fs::path path = set.main_file().parent_path() / "config.json";
    std::error_code ignored;
    return fs::exists(path, ignored) ? path : fs::path();
}

ForeignModel foreign_model(const Layout& layout, const BareTensors& tensors,
                           const std::vector<std::string>& sets, const fs::path& config) {
    const TensorSet& set = tensors.set();
    const std::string source = set.path().string();
    ForeignModel model;
    const FoundConfig found = find_config(set, config);
    Translation translation = layout.translate(found.reader);
    if (!found.is_there) infer_kind(layout, tensors, translation, model.notes);
    json& keys = *translation.keys;
    if (!keys.contains("bias")) infer_biases(layout, tensors, translation);
    apply(sets, keys);
    const bool own_block_size = std::any_of(sets.begin(), sets.end(), [](const std::string& s) {
        return s.starts_with("model.block_size=");
    });
    limit_block_size(translation, own_block_size, source, keys, model.notes);
    infer_sizes(layout, tensors, translation, model.notes);
    limit_block_size(translation, own_block_size, source, keys, model.notes);
    model.config = parse_model_config(keys, source);
    model.zero_patterns = translation.zero;
    model.longest = translation.longest;
    return model;
}

}  // namespace headroom
