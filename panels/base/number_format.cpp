#include "panels/base/number_format.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"

namespace headroom {

namespace {
constexpr const char* kUnknown = "–";
}

static std::string not_finite(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "inf" : "-inf";
}

/// Three significant digits for 1 <= |value| < 1000.
static std::string three_digits(double value) {
    const double size = std::abs(value);
    if (size < 9.995) return fmt::format("{:.2f}", value);
    if (size < 99.95) return fmt::format("{:.1f}", value);
    return fmt::format("{:.0f}", value);
}

std::string format_integer(int64_t value) {
    const std::string plain = std::to_string(value);
    const size_t sign = value < 0 ? 1 : 0;
    std::string grouped;
    for (size_t i = 0; i < plain.size(); ++i) {
        if (i > sign && (plain.size() - i) % 3 == 0) grouped += ',';
        grouped += plain[i];
    }
    return grouped;
}

std::string format_count(double value) {
    if (!std::isfinite(value)) return not_finite(value);
    if (std::abs(value) < 999.5) {
        const bool whole = value == std::round(value);
        return whole ? fmt::format("{:.0f}", value) : three_digits(value);
    }
    constexpr std::array kPrefixes{"k", "M", "G", "T", "P", "E"};
    size_t prefix = 0;
    value /= 1000.0;
    while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
        value /= 1000.0;
        ++prefix;
    }
    return three_digits(value) + " " + kPrefixes[prefix];
}

ByteUnit byte_unit(double bytes) {
    constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (std::abs(bytes) < 1024) return {"B", 1};
    size_t unit = 0;
    double size = 1024;
    while (std::abs(bytes) / size >= 1023.5 && unit + 1 < kUnits.size()) {
        size *= 1024;
        ++unit;
    }
    return {kUnits[unit], size};
}

std::string format_bytes(int64_t bytes) {
    return format_bytes(bytes, byte_unit(static_cast<double>(bytes)));
}

std::string format_bytes(int64_t bytes, const ByteUnit& unit) {
    if (unit.bytes == 1) return fmt::format("{} {}", bytes, unit.name);
    const double value = static_cast<double>(bytes) / unit.bytes;
    const bool small = std::abs(value) < 1;
    return (small ? fmt::format("{:.3g}", value) : three_digits(value)) + " " + unit.name;
}

std::string format_duration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return kUnknown;
    if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<int64_t>(std::llround(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
    return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

std::string format_loss(double loss) {
    if (!std::isfinite(loss)) return not_finite(loss);
    constexpr double kLong = 100;  // from here on six digits, so that no column cuts it
    return std::abs(loss) < kLong ? fmt::format("{:.4f}", loss) : fmt::format("{:.6g}", loss);
}

std::string format_percent(double fraction) {
    if (!std::isfinite(fraction)) return not_finite(fraction);
    const double percent = fraction * 100.0;
    const bool whole = std::abs(percent - std::round(percent)) < 0.05;
    return whole ? fmt::format("{:.0f} %", percent) : fmt::format("{:.1f} %", percent);
}

std::string with_minus_signs(const std::string& text) {
    std::string signs;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool negative =
            text[i] == '-' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
        signs += negative ? "−" : std::string(1, text[i]);
    }
    return signs;
}

std::optional<double> parse_shown_number(const std::string& text) {
    constexpr std::pair<char, double> kUnits[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}};
    std::string_view digits = text;
    double factor = 1;
    for (const auto& [unit, times] : kUnits)
        if (text.ends_with(unit)) factor = times;
    if (factor != 1) digits.remove_suffix(1);
    const size_t last = digits.find_last_not_of(' ');
    const std::optional<double> value = parse_number(digits.substr(0, last + 1));
    return value && std::isfinite(*value) ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace headroom
