#include "core/study/sweep.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/name_char.h"
#include "core/study/study.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr size_t kMostPoints = 4096;

struct Point {
    std::string suffix;
    json changes = json::object();
};

/// "lr" of "train.lr".
std::string last_part(const std::string& key) {
    return key.substr(key.rfind('.') + 1);
}

/// A value as a part of a file's name: lr0.001, wq_identity, tie, no-tie.
std::string id_part(const std::string& key, const json& value) {
    const std::string name = last_part(key);
    if (value.is_boolean()) return value.get<bool>() ? name : "no-" + name;
    std::string text = value.is_string() ? value.get<std::string>() : name + dump_text(value);
    for (char& c : text)
        if (!is_name_char(c)) c = '_';
    return text;
}

/// The end of an id that still leaves room for a seed's.
std::string shortened(const std::string& suffix, const std::string& entry) {
    constexpr size_t kLongest = kLongestRunFolder - 15, kHashDigits = 8;
    if (entry.size() + suffix.size() <= kLongest) return suffix;
    const auto* bytes = reinterpret_cast<const unsigned char*>(suffix.data());  // NOLINT: raw bytes
    const uint64_t hash = hash_bytes({bytes, suffix.size()});
    return fmt::format("{}-{:0{}x}", suffix.substr(0, kLongest - entry.size() - kHashDigits - 1),
                       hash & 0xffffffffU, kHashDigits);
}

void put(json& document, const std::string& key, const json& value) {
    const size_t dot = key.find('.');
    if (dot == std::string::npos)
        document[key] = value;
    else
        put(document[key.substr(0, dot)], key.substr(dot + 1), value);
}

/// Where one key is a part of another, a point cannot have a value under both.
void check_apart(const json& sweep, const std::string& place) {
    for (const auto& [key, values] : sweep.items())
        for (size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
            if (const std::string above = key.substr(0, dot); sweep.contains(above))
                throw UserError(
                    fmt::format("{} goes over both \"{}\" and \"{}\"", place, above, key),
                    "keep one: the second is a part of the first");
}

void check_key(const std::string& key, const json& values, const std::string& place) {
    if (key == "seed" || key == "name")
        throw UserError(fmt::format("{} goes over \"{}\"", place, key),
                        key == "seed" ? "list \"seeds\"" : "runs are named by their keys");
    const bool dotted = !key.empty() && key.front() != '.' && key.back() != '.' &&
                        key.find("..") == std::string::npos;
    if (!dotted)
        throw UserError(fmt::format("{} has the key {}", place, shown(key)),
                        "write it as in \"train.lr\"");
    if (!values.is_array() || values.empty())
        throw UserError(
            fmt::format("{}: \"{}\" = {} is no list of values", place, key, shown(values)),
            "write [ ... ] with one value at least");
    for (const json& value : values)
        if (value.is_structured() || value.is_null())
            throw UserError(
                fmt::format("{}: \"{}\" has {}, which is no plain value", place, key, shown(value)),
                "give numbers, texts, true or false");
}

}  // namespace

void for_each_point(
    const json& sweep, const std::string& entry, const std::string& place,
    const std::function<void(const std::string& suffix, const json& changes)>& visit) {
    if (!sweep.is_object())
        throw UserError(fmt::format("{} = {} is not an object", place, shown(sweep)),
                        "write { \"train.lr\": [0.001, 0.002] }");
    check_apart(sweep, place);
    std::vector<Point> points(1);
    for (const auto& [key, values] : sweep.items()) {
        check_key(key, values, place);
        if (points.size() * values.size() > kMostPoints)
            throw UserError(fmt::format("{} has more than {} points", place, kMostPoints),
                            "leave some out");
        std::vector<Point> grid;
        for (const Point& point : points)
            for (const json& value : values) {
                grid.push_back({point.suffix + "-" + id_part(key, value), point.changes});
                put(grid.back().changes, key, value);
            }
        points = std::move(grid);
    }
    for (const Point& point : points) visit(shortened(point.suffix, entry), point.changes);
}

}  // namespace headroom
