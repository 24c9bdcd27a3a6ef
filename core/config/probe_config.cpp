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

namespace headroom {
namespace {

using nlohmann::json;

/// What a kind may be told beside `kind` and `every`.
struct KindKeys {
    std::string kind;
    int64_t batch_size;  ///< by default
    std::vector<std::string> keys;
};

const std::vector<KindKeys>& kinds() {
    static const std::vector<KindKeys> all{
        {"attention", 1, {"seq_len", "logits"}},   {"heads", 8, {"batch_size", "seq_len"}},
        {"lens", 4, {"batch_size", "seq_len"}},    {"linear", 1, {"steps", "rates", "control"}},
        {"mixing", 4, {"batch_size", "seq_len"}},  {"similarity", 4, {"batch_size", "seq_len"}},
        {"weights", 4, {"batch_size", "seq_len"}},
    };
    return all;
}

const KindKeys& keys_of(const std::string& kind) {
    return *std::find_if(kinds().begin(), kinds().end(),
                         [&](const KindKeys& each) { return each.kind == kind; });
}

Field number_field(double least, double most) {
    Field field;
    field.type = FieldType::kInteger;
    field.minimum = least;
    field.maximum = most;
    return field;
}

/// How a key is checked, whatever the kind.
Field field_of(const std::string& key) {
    Field field;
    if (key == "kind") {
        field.type = FieldType::kChoice;
        field.choices = training_probe_kinds();
    } else if (key == "every") {
        field = number_field(0, 1e12);
    } else if (key == "batch_size" || key == "seq_len") {
        field = number_field(1, 1 << 24);
    } else if (key == "steps") {
        field = number_field(1, 1e9);
    } else if (key == "rates") {
        field.type = FieldType::kList;
    } else {
        field.type = FieldType::kBoolean;
    }
    return field;
}

void check_key(const std::string& entry, const std::string& key, const json& value) {
    Field field = field_of(key);
    field.path = entry + "." + key;
    check_value(field, value);
    if (key != "rates") return;
    Field rate;
    rate.type = FieldType::kNumber;
    rate.minimum = 0;
    rate.open_minimum = true;
    rate.maximum = 100;
    if (value.empty())
        throw UserError(field.path + " is empty",
                        "give rates such as [1e-4, 3e-4], or leave it out");
    for (size_t i = 0; i < value.size(); ++i) {
        rate.path = fmt::format("{}[{}]", field.path, i);
        check_value(rate, value[i]);
    }
}

void check_entry(const std::string& entry, const json& given) {
    if (!given.is_object())
        throw UserError(fmt::format("{} = {} is not a probe", entry, shown(given)),
                        "a probe is an object such as {\"kind\": \"heads\", \"every\": 250}");
    if (!given.contains("kind"))
        throw UserError(entry + " does not say which kind of probe it is",
                        "give its \"kind\": one of " +
                            fmt::format("{}", fmt::join(training_probe_kinds(), ", ")));
    check_key(entry, "kind", given.at("kind"));
    const std::string kind = given.at("kind").get<std::string>();
    std::vector<std::string> known = keys_of(kind).keys;
    known.insert(known.begin(), {"kind", "every"});
    for (const auto& [key, value] : given.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw UserError(fmt::format("unknown key {} in {}, a probe of kind {}{}", shown(key),
                                        entry, kind, suggestion(key, known)));
        check_key(entry, key, value);
    }
}

int64_t whole(const json& given, const std::string& key, int64_t otherwise) {
    // 1e3 is a whole number too.
    return given.contains(key) ? static_cast<int64_t>(given.at(key).get<double>()) : otherwise;
}

}  // namespace

std::vector<std::string> training_probe_kinds() {
    std::vector<std::string> names;
    for (const KindKeys& each : kinds()) names.push_back(each.kind);
    return names;
}

std::vector<ProbeConfig> parse_probes(const nlohmann::json& list) {
    std::vector<ProbeConfig> probes;
    std::set<std::string> seen;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string entry = fmt::format("probes[{}]", i);
        const json& given = list[i];
        check_entry(entry, given);
        ProbeConfig probe;
        probe.kind = given.at("kind").get<std::string>();
        if (!seen.insert(probe.kind).second)
            throw UserError(fmt::format("{} is the second probe of kind {}", entry, probe.kind),
                            "their files would have the same names; leave one out");
        probe.every = whole(given, "every", probe.every);
        probe.batch_size = whole(given, "batch_size", keys_of(probe.kind).batch_size);
        probe.seq_len = whole(given, "seq_len", probe.seq_len);
        probe.steps = whole(given, "steps", probe.steps);
        probe.logits = given.value("logits", probe.logits);
        probe.control = given.value("control", probe.control);
        if (given.contains("rates")) probe.rates = given.at("rates").get<std::vector<double>>();
        probes.push_back(std::move(probe));
    }
    return probes;
}

nlohmann::json to_json(const std::vector<ProbeConfig>& probes) {
    json list = json::array();
    for (const ProbeConfig& probe : probes) {
        json entry{{"kind", probe.kind}, {"every", probe.every}};
        for (const std::string& key : keys_of(probe.kind).keys) {
            if (key == "batch_size") entry[key] = probe.batch_size;
            if (key == "seq_len" && probe.seq_len > 0) entry[key] = probe.seq_len;
            if (key == "logits") entry[key] = probe.logits;
            if (key == "steps") entry[key] = probe.steps;
            if (key == "rates" && !probe.rates.empty()) entry[key] = probe.rates;
            if (key == "control") entry[key] = probe.control;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headroom
