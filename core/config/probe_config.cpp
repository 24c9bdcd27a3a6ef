#include "core/config/probe_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/config/field_binding.h"
#include "core/config/probe_schema.h"

namespace headroom {
namespace {

using nlohmann::json;

Field whole_field(double least, double most) {
    Field field;
    field.type = FieldType::kInteger;
    field.minimum = least;
    field.maximum = most;
    return field;
}

/// The keys that entries of the kind have beside its own options.
std::vector<std::string> common_keys(const ProbeSchema& schema) {
    std::vector<std::string> keys{"kind", "every"};
    if (schema.tokens == ProbeTokenUse::kSequences) keys.push_back("batch_size");
    if (schema.tokens != ProbeTokenUse::kTrainingData) keys.push_back("seq_len");
    return keys;
}

const ProbeOption* find_option(const ProbeSchema& schema, const std::string& key) {
    for (const ProbeOption& option : schema.options)
        if (option.name == key && !option.command_only) return &option;
    return nullptr;
}

/// How one number of an option is checked.
Field number_field(const ProbeOption& option) {
    const bool rates = std::holds_alternative<std::vector<double>>(option.standard);
    Field field = whole_field(option.minimum, option.maximum);
    if (rates) field.type = FieldType::kNumber;
    field.open_minimum = rates;
    return field;
}

void check_list(const ProbeOption& option, const std::string& path, const json& list) {
    if (list.empty())
        throw UserError(path + " is empty", "give numbers in brackets, or leave it out");
    Field field = number_field(option);
    for (size_t i = 0; i < list.size(); ++i) {
        field.path = fmt::format("{}[{}]", path, i);
        check_value(field, list[i]);
    }
}

void check_option(const ProbeOption& option, const std::string& path, const json& value) {
    Field field = number_field(option);
    const bool is_list = std::holds_alternative<std::vector<int64_t>>(option.standard) ||
                         std::holds_alternative<std::vector<double>>(option.standard);
    if (std::holds_alternative<bool>(option.standard)) {
        field = {};
        field.type = FieldType::kBoolean;
    } else if (std::holds_alternative<std::string>(option.standard) || is_list) {
        field = {};
        field.type = is_list ? FieldType::kList : FieldType::kText;
    }
    field.path = path;
    check_value(field, value);
    if (is_list) check_list(option, path, value);
}

/// `value` has been checked. 1e3 is a whole number too.
ProbeValue value_of(const ProbeOption& option, const json& value) {
    if (std::holds_alternative<bool>(option.standard)) return value.get<bool>();
    if (std::holds_alternative<int64_t>(option.standard))
        return static_cast<int64_t>(value.get<double>());
    if (std::holds_alternative<std::string>(option.standard)) return value.get<std::string>();
    if (std::holds_alternative<std::vector<double>>(option.standard))
        return value.get<std::vector<double>>();
    std::vector<int64_t> numbers;
    for (const json& each : value) numbers.push_back(static_cast<int64_t>(each.get<double>()));
    return numbers;
}

const ProbeSchema& check_kind(const std::string& entry, const json& given) {
    if (!given.is_object())
        throw UserError(fmt::format("{} = {} is not a probe", entry, shown(given)),
                        "a probe is an object such as {\"kind\": \"heads\", \"every\": 250}");
    if (!given.contains("kind"))
        throw UserError(entry + " does not say which kind of probe it is",
                        "give its \"kind\": one of " +
                            fmt::format("{}", fmt::join(training_probe_kinds(), ", ")));
    const json& kind = given.at("kind");
    if (kind.is_string())
        if (const ProbeSchema* schema = find_probe_schema(kind.get<std::string>())) return *schema;
    Field field;
    field.type = FieldType::kChoice;
    field.choices = training_probe_kinds();
    field.path = entry + ".kind";
    check_value(field, kind);
    CHECK(false, "every kind has a schema");
}

void check_entry(const std::string& entry, const ProbeSchema& schema, const json& given) {
    if (!schema.needed.empty() && !given.contains(schema.needed))
        throw UserError(
            fmt::format("{}, a probe of kind {}, has no \"{}\"", entry, schema.kind, schema.needed),
            "say there what is to be measured, or leave the probe out");
    std::vector<std::string> known = common_keys(schema);
    for (const ProbeOption& option : schema.options)
        if (!option.command_only) known.push_back(option.name);
    for (const auto& [key, value] : given.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw UserError(fmt::format("unknown key {} in {}, a probe of kind {}{}", shown(key),
                                        entry, schema.kind, suggestion(key, known)));
        const std::string path = entry + "." + key;
        if (const ProbeOption* option = find_option(schema, key)) {
            check_option(*option, path, value);
        } else if (key != "kind") {
            Field field = key == "every" ? whole_field(0, 1e12) : whole_field(1, 1 << 24);
            field.path = path;
            check_value(field, value);
        }
    }
}

int64_t whole(const json& given, const std::string& key, int64_t otherwise) {
    return given.contains(key) ? static_cast<int64_t>(given.at(key).get<double>()) : otherwise;
}

ProbeConfig parse_probe(const std::string& entry, const json& given) {
    const ProbeSchema& schema = check_kind(entry, given);
    check_entry(entry, schema, given);
    ProbeConfig probe;
    probe.kind = schema.kind;
    probe.every = whole(given, "every", probe.every);
    probe.batch_size = whole(given, "batch_size", schema.batch_size);
    probe.seq_len = whole(given, "seq_len", probe.seq_len);
    for (const ProbeOption& option : schema.options)
        if (!option.command_only)
            probe.values.set(option.name, given.contains(option.name)
                                              ? value_of(option, given.at(option.name))
                                              : option.standard);
    return probe;
}

}  // namespace

std::vector<std::string> training_probe_kinds() {
    std::vector<std::string> names;
    for (const ProbeSchema& schema : probe_schemas()) names.push_back(schema.kind);
    std::sort(names.begin(), names.end());
    return names;
}

ProbeValues values_of(const ProbeConfig& probe) {
    const ProbeSchema* schema = find_probe_schema(probe.kind);
    CHECK(schema != nullptr, probe.kind + " is no kind of probe");
    ProbeValues values = schema->standard_values();
    for (const ProbeOption& option : schema->options)
        if (probe.values.has(option.name)) values.set(option.name, probe.values.value(option.name));
    return values;
}

std::vector<ProbeConfig> parse_probes(const nlohmann::json& list) {
    std::vector<ProbeConfig> probes;
    std::set<std::string> seen;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string entry = fmt::format("probes[{}]", i);
        probes.push_back(parse_probe(entry, list[i]));
        if (!seen.insert(probes.back().kind).second)
            throw UserError(
                fmt::format("{} is the second probe of kind {}", entry, probes.back().kind),
                "their files would have the same names; leave one out");
    }
    return probes;
}

nlohmann::json to_json(const std::vector<ProbeConfig>& probes) {
    json list = json::array();
    for (const ProbeConfig& probe : probes) {
        const ProbeSchema* schema = find_probe_schema(probe.kind);
        CHECK(schema != nullptr, probe.kind + " is no kind of probe");
        json entry{{"kind", probe.kind}, {"every", probe.every}};
        if (schema->tokens == ProbeTokenUse::kSequences) entry["batch_size"] = probe.batch_size;
        if (schema->tokens != ProbeTokenUse::kTrainingData && probe.seq_len > 0)
            entry["seq_len"] = probe.seq_len;
        const ProbeValues values = values_of(probe);
        for (const ProbeOption& option : schema->options) {
            if (option.command_only) continue;
            const json value =
                std::visit([](const auto& v) { return json(v); }, values.value(option.name));
            const bool left_open = (value.is_array() && value.empty()) || value == "";
            if (!left_open) entry[option.name] = value;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headroom
