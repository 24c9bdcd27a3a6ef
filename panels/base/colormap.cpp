#include "panels/base/colormap.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "panels/base/colormap_tables.h"

namespace headroom {
namespace {

constexpr size_t kHexDigits = 6;

struct Entry {
    ColorMap map;
    std::string_view name;
    bool diverging;
    std::string_view table;
    bool reversed = false;  ///< the table starts with the warm colours
};

constexpr std::array kEntries = {
    Entry{ColorMap::kViridis, "viridis", false, colormap_tables::kViridis},
    Entry{ColorMap::kCividis, "cividis", false, colormap_tables::kCividis},
    Entry{ColorMap::kMagma, "magma", false, colormap_tables::kMagma},
    Entry{ColorMap::kRdBu, "RdBu", true, colormap_tables::kRdBu, true},
    Entry{ColorMap::kPuOr, "PuOr", true, colormap_tables::kPuOr, true},
    Entry{ColorMap::kVik, "vik", true, colormap_tables::kVik},
};

const Entry& entry(ColorMap map) {
    for (const Entry& entry : kEntries)
        if (entry.map == map) return entry;
    CHECK(false, "unknown colour map");
}

std::vector<Rgb> decode(std::string_view table) {
    std::vector<Rgb> colours;
    for (size_t at = 0; at < table.size(); at += kHexDigits) {
        uint32_t hex = 0;
        std::from_chars(table.data() + at, table.data() + at + kHexDigits, hex, 16);
        colours.push_back(rgb(hex));
    }
    return colours;
}

const std::vector<Rgb>& colours(ColorMap map) {
    static const auto all = [] {
        std::array<std::vector<Rgb>, kEntries.size()> tables;
        for (const Entry& entry : kEntries) {
            std::vector<Rgb>& table = tables[static_cast<size_t>(entry.map)];
            table = decode(entry.table);
            if (entry.reversed) std::reverse(table.begin(), table.end());
        }
        return tables;
    }();
    return all[static_cast<size_t>(map)];
}

bool same_letters(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

struct Limits {
    double lower = 0, upper = 1;
};

/// Between the order statistics, as NumPy's default does.
double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Limits limits_of(const ColorChoice& choice, const std::vector<double>& sorted) {
    if (choice.mode == RangeMode::kFixed) return {choice.lower, choice.upper};
    if (sorted.empty()) return {};
    if (choice.mode == RangeMode::kPercentile)
        return {quantile(sorted, choice.percentile / 100),
                quantile(sorted, 1 - choice.percentile / 100)};
    if (choice.mode == RangeMode::kFull) return {sorted.front(), sorted.back()};
    double mean = 0, square = 0;
    const auto count = static_cast<double>(sorted.size());
    for (const double value : sorted) mean += value / count;
    for (const double value : sorted) square += (value - mean) * (value - mean) / count;
    const double spread = choice.sigmas * std::sqrt(square);
    return {mean - spread, mean + spread};
}

double transformed(double value, ValueScale scale, double linear_width) {
    switch (scale) {
        case ValueScale::kLog:
            return std::log(value);
        case ValueScale::kSymLog:
            return std::copysign(std::log1p(std::fabs(value) / linear_width), value);
        case ValueScale::kLinear:
            break;
    }
    return value;
}

/// Limits that a log scale has a place for.
Limits positive_limits(Limits limits, const std::vector<double>& sorted) {
    const auto first = std::upper_bound(sorted.begin(), sorted.end(), 0.0);
    const double least = first == sorted.end() ? 1e-6 : *first;
    if (!(limits.upper > 0)) limits.upper = 1;
    if (!(limits.lower > 0)) limits.lower = std::min(least, limits.upper);
    if (!(limits.lower < limits.upper)) limits = {limits.upper / 10, limits.upper * 10};
    return limits;
}

Limits widened(Limits limits) {
    if (limits.lower > limits.upper) std::swap(limits.lower, limits.upper);
    const double least = 1e-12 * std::max(std::fabs(limits.lower), std::fabs(limits.upper));
    if (limits.upper - limits.lower > least) return limits;
    const double half = limits.lower == 0 ? 0.5 : std::fabs(limits.lower) / 2;
    return {limits.lower - half, limits.upper + half};
}

}  // namespace

std::span<const ColorMap> color_maps() {
    static constexpr std::array kAll = {ColorMap::kViridis, ColorMap::kCividis, ColorMap::kMagma,
                                        ColorMap::kRdBu,    ColorMap::kPuOr,    ColorMap::kVik};
    return kAll;
}

std::string_view color_map_name(ColorMap map) {
    return entry(map).name;
}

std::optional<ColorMap> find_color_map(std::string_view name) {
    for (const Entry& entry : kEntries)
        if (same_letters(entry.name, name)) return entry.map;
    return std::nullopt;
}

bool is_diverging(ColorMap map) {
    return entry(map).diverging;
}

Rgb color_at(ColorMap map, double place) {
    const std::vector<Rgb>& table = colours(map);
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(table.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, table.size() - 1);
    const double share = at - static_cast<double>(below);
    const auto mix = [&](uint8_t a, uint8_t b) {
        return static_cast<uint8_t>(std::lround(a + share * (b - a)));
    };
    const Rgb low = table[below], high = table[above];
    return {mix(low.r, high.r), mix(low.g, high.g), mix(low.b, high.b), 255};
}

const MapInks& map_inks(bool dark) {
    static constexpr MapInks kLight{rgb(0xb4b9c3), rgb(0xff00ff), rgb(0x2200ff)};
    static constexpr MapInks kDark{rgb(0x3a3f4a), rgb(0xff00ff), rgb(0x2200ff)};
    return dark ? kDark : kLight;
}

double ColorScale::place(double value) const {
    if (scale == ValueScale::kLog && value <= 0) return 0;
    const double low = transformed(lower, scale, linear_width);
    const double high = transformed(upper, scale, linear_width);
    return (transformed(value, scale, linear_width) - low) / (high - low);
}

double ColorScale::value_at(double place) const {
    const double low = transformed(lower, scale, linear_width);
    const double high = transformed(upper, scale, linear_width);
    const double at = low + place * (high - low);
    if (scale == ValueScale::kLog) return std::exp(at);
    if (scale == ValueScale::kSymLog)
        return std::copysign(linear_width * std::expm1(std::fabs(at)), at);
    return at;
}

Rgb ColorScale::color(double value, bool dark) const {
    if (std::isnan(value)) return map_inks(dark).nan;
    if (std::isinf(value)) return map_inks(dark).infinity;
    return color_at(map, place(value));
}

ColorScale make_color_scale(const ColorChoice& choice, std::span<const double> values) {
    std::vector<double> sorted;
    for (const double value : values)
        if (std::isfinite(value)) sorted.push_back(value);
    std::sort(sorted.begin(), sorted.end());
    Limits limits = limits_of(choice, sorted);
    if (is_diverging(choice.map) && choice.scale != ValueScale::kLog) {
        const double reach = std::max(std::fabs(limits.lower), std::fabs(limits.upper));
        limits = {-reach, reach};
    }
    limits = choice.scale == ValueScale::kLog ? positive_limits(limits, sorted) : widened(limits);
    ColorScale scale{choice.map, limits.lower, limits.upper, choice.scale, 1};
    // Three decades of the larger limit are logarithmic, what is nearer to zero is linear.
    scale.linear_width = std::max(std::fabs(limits.lower), std::fabs(limits.upper)) / 1000;
    return scale;
}

}  // namespace headroom
