#include "panels/launch/launch_store.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace headroom {

using nlohmann::json;

std::string launch_text(const LaunchInput& input) {
    json document{{"preset", input.preset},   {"variants", input.variants},
                  {"seeds", input.seeds},     {"values", input.values},
                  {"matched", input.matched}, {"sizes", input.sizes},
                  {"name", input.name},       {"probe_options", input.probe_options}};
    if (input.probes) document["probes"] = *input.probes;
    return dump_text(document);
}

std::optional<LaunchInput> parse_launch_text(const std::string& text) {
    const json document = parse_json_or_null(text);
    try {
        LaunchInput input;
        document.at("preset").get_to(input.preset);
        document.at("variants").get_to(input.variants);
        document.at("seeds").get_to(input.seeds);
        document.at("values").get_to(input.values);
        document.at("matched").get_to(input.matched);
        document.at("sizes").get_to(input.sizes);
        document.at("name").get_to(input.name);
        document.at("probe_options").get_to(input.probe_options);
        if (document.contains("probes"))
            input.probes = document.at("probes").get<std::map<std::string, std::string>>();
        return input;
    } catch (const json::exception&) {
        return std::nullopt;  // of another version
    }
}

}  // namespace headroom
