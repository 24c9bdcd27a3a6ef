#include "app/figure/range_argument.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/parse_number.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

constexpr std::array kScales{ValueScale::kLinear, ValueScale::kLog, ValueScale::kSymLog};

/// A whole text that is a finite number.
std::optional<double> number(const std::string& text) {
    const std::optional<double> value = parse_number(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

void parse_color_range(const std::string& text, ColorChoice& choice) {
    constexpr const char* kSigma = "sigma";
    if (text == "full") {
        choice.mode = RangeMode::kFull;
        return;
    }
    if (text.starts_with('p')) {
        const auto percent = number(text.substr(1));
        if (percent && *percent >= 0 && *percent < 50) {
            choice.mode = RangeMode::kPercentile;
            choice.percentile = *percent;
            return;
        }
    } else if (text.ends_with(kSigma)) {
        const auto sigmas = number(text.substr(0, text.size() - 5));
        if (sigmas && *sigmas > 0) {
            choice.mode = RangeMode::kSigma;
            choice.sigmas = *sigmas;
            return;
        }
    } else if (const size_t colon = text.find(':'); colon != std::string::npos) {
        const auto lower = number(text.substr(0, colon)), upper = number(text.substr(colon + 1));
        if (lower && upper && *lower < *upper) {
            choice.mode = RangeMode::kFixed;
            choice.lower = *lower;
            choice.upper = *upper;
            return;
        }
    }
    throw UserError("--range " + text + " is not a range of colours",
                    "give full, p2 (without 2 % at either end), 3sigma or LOWER:UPPER");
}

Range parse_axis_range(const std::string& text, const std::string& option, bool log) {
    const size_t colon = std::min(text.find(':'), text.size());
    const auto lower = parse_shown_number(text.substr(0, colon));
    const auto upper = parse_shown_number(text.substr(std::min(colon + 1, text.size())));
    if (!lower || !upper || !(*lower < *upper))
        throw UserError(fmt::format("--{} {} is no range of an axis", option, text),
                        "give FROM:TO, such as 0:200k or 2.5:4");
    if (log && *lower <= 0)
        throw UserError(fmt::format("--{} {} does not lie above zero", option, text),
                        "a logarithmic axis has no place for it");
    return {*lower, *upper};
}

std::string color_range_text(const ColorChoice& choice) {
    switch (choice.mode) {
        case RangeMode::kFull:
            return "full";
        case RangeMode::kPercentile:
            return fmt::format("p{}", choice.percentile);
        case RangeMode::kSigma:
            return fmt::format("{}sigma", choice.sigmas);
        case RangeMode::kFixed:
            return fmt::format("{}:{}", choice.lower, choice.upper);
    }
    return "";
}

std::string name_of(ValueScale scale) {
    switch (scale) {
        case ValueScale::kLinear:
            return "linear";
        case ValueScale::kLog:
            return "log";
        case ValueScale::kSymLog:
            return "symlog";
    }
    return "";
}

ValueScale parse_value_scale(const std::string& text) {
    for (const ValueScale scale : kScales)
        if (name_of(scale) == text) return scale;
    throw UserError("--scale " + text + " is not known" + suggestion(text, value_scale_names()));
}

std::vector<std::string> value_scale_names() {
    std::vector<std::string> names;
    for (const ValueScale scale : kScales) names.push_back(name_of(scale));
    return names;
}

ColorMap parse_color_map(const std::string& text) {
    if (const auto map = find_color_map(text)) return *map;
    throw UserError("--colors " + text + " is no colour map" + suggestion(text, color_map_names()));
}

std::vector<std::string> color_map_names() {
    std::vector<std::string> names;
    for (const ColorMap map : color_maps()) names.emplace_back(color_map_name(map));
    return names;
}

}  // namespace headroom
