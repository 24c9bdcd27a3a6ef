#include "core/bench/scaling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr size_t kFitted = 3, kMostLines = 100, kMostPoints = 1000, kMostLetters = 200;

/// Slope of log y over log x.
template <class Value>
double slope_of(const std::vector<ScalingPoint>& points, Value value) {
    const size_t first = points.size() - std::min(points.size(), kFitted);
    const auto count = static_cast<double>(points.size() - first);
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = first; i < points.size(); ++i) {
        const double a = std::log(points[i].size), b = std::log(value(points[i]));
        x += a, y += b, xx += a * a, xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
    throw UserError(where + ": " + what, "give what `headroom bench scaling --json` printed");
}

std::string text_of(const nlohmann::json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string() ||
        found->get_ref<const std::string&>().size() > kMostLetters)
        refuse(where, fmt::format("\"{}\" is no short text", key));
    return found->get<std::string>();
}

double number_of(const nlohmann::json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number() || !(found->get<double>() > 0) ||
        !(found->get<double>() < 1e30))
        refuse(where, fmt::format("\"{}\" is no number above zero", key));
    return found->get<double>();
}

/// A list of `least` objects or more.
const nlohmann::json& list_of(const nlohmann::json& object, const char* key, size_t least,
                              size_t most, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array() || found->size() < least ||
        found->size() > most ||
        !std::all_of(found->begin(), found->end(), [](const auto& one) { return one.is_object(); }))
        refuse(where, fmt::format("\"{}\" is no list of {} objects or more", key, least));
    return *found;
}

ScalingLine read_line(const nlohmann::json& object, const std::string& where) {
    ScalingLine line{text_of(object, "name", where),
                     text_of(object, "size_name", where),
                     text_of(object, "cost_name", where),
                     text_of(object, "setting", where),
                     {}};
    for (const nlohmann::json& point : list_of(object, "points", 2, kMostPoints, where)) {
        line.points.push_back({number_of(point, "size", where), number_of(point, "seconds", where),
                               number_of(point, "cost", where)});
        if (line.points.size() > 1 && line.points.back().size <= line.points.end()[-2].size)
            refuse(where, "its sizes do not grow");
    }
    return line;
}

}  // namespace

ScalingExponents exponents_of(const ScalingLine& line) {
    CHECK(line.points.size() >= 2, "two sizes or more");
    return {slope_of(line.points, [](const ScalingPoint& point) { return point.seconds; }),
            slope_of(line.points, [](const ScalingPoint& point) { return point.cost; })};
}

nlohmann::ordered_json to_json(const ScalingResult& result) {
    nlohmann::ordered_json document{{"device", result.device}, {"lines", nlohmann::json::array()}};
    for (const ScalingLine& line : result.lines) {
        const ScalingExponents exponents = exponents_of(line);
        nlohmann::ordered_json points = nlohmann::ordered_json::array();
        for (const ScalingPoint& point : line.points)
            points.push_back(
                {{"size", point.size}, {"seconds", point.seconds}, {"cost", point.cost}});
        document["lines"].push_back({{"name", line.name},
                                     {"size_name", line.size_name},
                                     {"cost_name", line.cost_name},
                                     {"setting", line.setting},
                                     {"exponent", exponents.measured},
                                     {"expected_exponent", exponents.expected},
                                     {"points", points}});
    }
    return document;
}

ScalingResult read_scaling_result(const nlohmann::json& document, const std::string& source) {
    if (!document.is_object()) refuse(source, "it is no object");
    ScalingResult result{text_of(document, "device", source), {}};
    const nlohmann::json& lines = list_of(document, "lines", 1, kMostLines, source);
    for (size_t i = 0; i < lines.size(); ++i)
        result.lines.push_back(read_line(lines[i], fmt::format("{}: lines[{}]", source, i)));
    return result;
}

}  // namespace headroom
