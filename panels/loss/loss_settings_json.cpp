#include "panels/loss/loss_settings_json.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using nlohmann::json;

/// The list of kept settings, in one place: visit(name, member) for each.
template <class Settings, class Visit>
void visit_settings(Settings& s, Visit&& visit) {
    visit("x", s.x);
    visit("train", s.train);
    visit("val", s.val);
    visit("smoothing", s.smoothing);
    visit("smooth_val", s.smooth_val);
    visit("raw_behind", s.raw_behind);
    visit("log_x", s.log_x);
    visit("log_y", s.log_y);
    visit("ignore_outliers", s.ignore_outliers);
    visit("unit", s.unit);
    visit("group_seeds", s.group_seeds);
    visit("band", s.band);
}

template <class Value>
using Words = std::vector<std::pair<Value, const char*>>;

const Words<LossX> kXWords = {{LossX::kSteps, "steps"},
                              {LossX::kTokens, "tokens"},
                              {LossX::kSeconds, "seconds"},
                              {LossX::kWall, "wall"}};
const Words<RelativeUnit> kUnitWords = {{RelativeUnit::kNats, "nats"},
                                        {RelativeUnit::kPercent, "percent"}};

template <class Value>
json word_of(Value value, const Words<Value>& words) {
    for (const auto& [known, word] : words)
        if (known == value) return word;
    return nullptr;
}

template <class Value>
void read_word(const json& text, const Words<Value>& words, Value& member) {
    for (const auto& [known, word] : words)
        if (text == word) member = known;
}

json written(bool value) {
    return value;
}
json written(double value) {
    return value;
}
json written(LossX value) {
    return word_of(value, kXWords);
}
json written(RelativeUnit value) {
    return word_of(value, kUnitWords);
}
json written(SeedBand value) {
    return name_of(value);
}

void read(const json& value, bool& member) {
    if (value.is_boolean()) member = value.get<bool>();
}
void read(const json& value, double& member) {
    if (value.is_number()) member = value.get<double>();
}
void read(const json& value, LossX& member) {
    read_word(value, kXWords, member);
}
void read(const json& value, RelativeUnit& member) {
    read_word(value, kUnitWords, member);
}
void read(const json& value, SeedBand& member) {
    try {
        if (value.is_string()) member = parse_seed_band(value.get<std::string>());
    } catch (const UserError&) {
        return;  // keeps its default
    }
}

}  // namespace

std::string loss_settings_to_json(const LossSettings& settings) {
    json document = json::object();
    visit_settings(settings,
                   [&](const char* name, auto& member) { document[name] = written(member); });
    return document.dump();
}

LossSettings loss_settings_from_json(const std::string& text) {
    LossSettings settings;
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object()) return settings;
    visit_settings(settings, [&](const char* name, auto& member) {
        if (document.contains(name)) read(document[name], member);
    });
    if (!(settings.smoothing >= 0 && settings.smoothing < 1))
        settings.smoothing = LossSettings().smoothing;
    return settings;
}

}  // namespace headroom
