#include "panels/launch/launch_probes.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/probe_config.h"
#include "panels/launch/launch_base.h"

namespace headroom {
namespace {

using nlohmann::json;
using Asked = std::map<std::string, std::string>;

/// Kind -> steps of the entries that can be told; a broken list is told by the reader of the job.
Asked asked_of(const json& list) {
    Asked asked;
    if (!list.is_array()) return asked;
    for (const json& entry : list) {
        if (!entry.is_object() || !entry.contains("kind") || !entry["kind"].is_string()) continue;
        const ProbeSchema* schema = find_probe_schema(entry["kind"].get<std::string>());
        if (schema == nullptr) continue;
        const json every = entry.value("every", json(0));
        asked[schema->kind] = every == 0 ? "" : form_text(every);
    }
    return asked;
}

/// The entry of a kind in the list, {"kind": kind} where there is none.
json entry_of(const std::string& kind, const json& list) {
    if (list.is_array())
        for (const json& entry : list)
            if (entry.is_object() && entry.contains("kind") && entry["kind"].is_string())
                if (const ProbeSchema* schema = find_probe_schema(entry["kind"].get<std::string>());
                    schema != nullptr && schema->kind == kind)
                    return entry;
    return {{"kind", kind}};
}

json study_probes(const LaunchPlace& place) {
    return study_job(place).value("probes", json::array());
}

int64_t steps_of(const std::string& kind, const std::string& every) {
    const bool whole = !every.empty() && every.size() < 13 &&
                       every.find_first_not_of("0123456789") == std::string::npos;
    if (!whole && !every.empty())
        throw UserError(fmt::format("probe {}: \"{}\" is no whole number of steps", kind, every),
                        "write a number such as 250, or nothing to probe at the end alone");
    return whole ? std::stoll(every) : 0;
}

}  // namespace

Asked asked_probes(const LaunchInput& input, const LaunchPlace& place) {
    return input.probes ? *input.probes : asked_of(study_probes(place));
}

std::vector<ProbeChoice> probe_choices(const LaunchInput& input, const LaunchPlace& place) {
    const Asked asked = asked_probes(input, place);
    std::vector<ProbeChoice> choices;
    for (const ProbeSchema& schema : probe_schemas()) {
        if (!schema.needed.empty()) continue;  // the form has no place to say it
        const auto at = asked.find(schema.kind);
        ProbeChoice choice{schema.kind, schema.kind, schema.help, at != asked.end(), ""};
        std::replace(choice.title.begin(), choice.title.end(), '_', ' ');
        if (choice.chosen) choice.every = at->second;
        choices.push_back(std::move(choice));
    }
    return choices;
}

void set_probes(json& document, const LaunchInput& input) {
    if (!input.probes) return;
    const json options = input.probe_options.empty() ? document.value("probes", json::array())
                                                     : parse_json(input.probe_options, "probes");
    document["probes"] = json::array();
    for (const auto& [kind, every] : *input.probes) {
        json entry = entry_of(kind, options);
        entry["every"] = steps_of(kind, every);
        document["probes"].push_back(std::move(entry));
    }
}

LaunchInput with_probes_of(LaunchInput input, const json& list) {
    input.probes = asked_of(list);
    input.probe_options = list.dump();
    return input;
}

LaunchInput with_probe(LaunchInput input, const LaunchPlace& place, const std::string& kind,
                       bool chosen, const std::string& every) {
    Asked asked = asked_probes(input, place);
    asked.erase(kind);
    if (chosen) asked[kind] = every;
    input.probes = std::move(asked);
    if (input.probe_options.empty() && *input.probes == asked_of(study_probes(place)))
        input.probes.reset();
    return input;
}

std::string probe_change(const LaunchInput& input, const LaunchPlace& place) {
    if (!input.probes) return "";
    json before = study_job(place), after = before;
    try {
        set_probes(after, input);
        const json own = before.value("probes", json::array());
        if (parse_probes(after["probes"]) == parse_probes(own)) return "";
    } catch (const UserError&) {  // said where the form is read
    }
    std::string text = "probes:";
    for (const auto& [kind, every] : *input.probes)
        text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", kind,
                            every.empty() ? "at the end" : fmt::format("every {}", every));
    return input.probes->empty() ? "probes: none" : text;
}

}  // namespace headroom
