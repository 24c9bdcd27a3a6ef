#include "panels/figure/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/base/clock_text.h"

namespace headroom {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
/// Steps in which people count time, in seconds.
constexpr std::array kTimeSteps = {
    1.0,         2.0,         5.0,          10.0,         15.0,         30.0,    kMinute,
    2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute, kHour,   2 * kHour,
    3 * kHour,   6 * kHour,   12 * kHour,   kDay,         2 * kDay,     7 * kDay};

int decimals_of(double step) {
    return static_cast<int>(std::clamp(std::ceil(-std::log10(step) - 1e-9), 0.0, 12.0));
}

/// 1, 2 or 5 times a power of ten, whichever is nearest or a little above.
double nice_step(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    const double nice = mantissa <= 1.3 ? 1 : mantissa <= 2.6 ? 2 : mantissa <= 6 ? 5 : 10;
    return nice * power;
}

double time_step(double rough) {
    if (rough < 1) return nice_step(rough);
    for (const double step : kTimeSteps)
        if (step >= rough * 0.9) return step;
    return nice_step(rough / kDay) * kDay;
}

std::string date_time_label(double unix_time, double step) {
    const std::tm parts = local_time(unix_time);
    std::array<char, 32> text{};
    const bool midnight = parts.tm_hour == 0 && parts.tm_min == 0 && parts.tm_sec == 0;
    constexpr double kQuarter = 90 * kDay;
    const char* shape = step >= kQuarter           ? "%b %Y"
                        : step >= kDay || midnight ? "%-d %b"
                        : step < kMinute           ? "%H:%M:%S"
                                                   : "%H:%M";
    std::strftime(text.data(), text.size(), shape, &parts);
    return text.data();
}

std::string with_minus_sign(std::string text) {
    if (!text.empty() && text.front() == '-') text.replace(0, 1, "\u2212");
    return text;
}

struct Unit {
    double size;
    const char* suffix;
};

Unit count_unit(double largest) {
    if (largest >= 1e12) return {1e12, "T"};
    if (largest >= 1e9) return {1e9, "B"};
    if (largest >= 1e6) return {1e6, "M"};
    if (largest >= 1e4) return {1e3, "k"};
    return {1, ""};
}

/// Durations share one unit along an axis, chosen by the step: 90 s, 5 min, 2 h.
Unit duration_unit(double step, double largest) {
    if (largest < 3 * kMinute || step < kMinute / 4) return {1, " s"};
    if (largest < 3 * kHour) return {kMinute, " min"};
    if (largest < 4 * kDay) return {kHour, " h"};
    return {kDay, " d"};
}

std::string in_unit(double value, Unit unit, double step) {
    if (value == 0) return "0";
    double scaled_step = step / unit.size;
    int decimals = decimals_of(scaled_step);
    // A quarter of a minute is 0.25: show digits until the step is exact, three at the most.
    while (decimals < 3 && std::fabs(std::remainder(scaled_step, std::pow(10.0, -decimals))) > 1e-9)
        ++decimals;
    return with_minus_sign(fmt::format("{:.{}f}{}", value / unit.size, decimals, unit.suffix));
}

std::string label_of(double value, NumberFormat format, double step, double largest) {
    switch (format) {
        case NumberFormat::kCount:
            return in_unit(value, count_unit(largest), step);
        case NumberFormat::kDuration:
            return in_unit(value, duration_unit(step, largest), step);
        case NumberFormat::kDateTime:
            return date_time_label(value, step);
        case NumberFormat::kPlain:
        case NumberFormat::kWhole:
        case NumberFormat::kSigned:
            return tick_label(value, format, decimals_of(step));
    }
    CHECK(false, "unknown number format");
}

Ticks linear_ticks(Range range, NumberFormat format, int target) {
    const bool time = format == NumberFormat::kDuration || format == NumberFormat::kDateTime;
    const double rough = range.size() / target;
    const bool whole = format == NumberFormat::kWhole;
    const double least = whole ? 1.0 : 0.0;
    const double step = std::max(least, time ? time_step(rough) : nice_step(rough));
    double origin = 0;
    if (format == NumberFormat::kDateTime)
        origin = -static_cast<double>(local_time(range.lower).tm_gmtoff);

    Ticks ticks;
    const double largest = std::max(std::fabs(range.lower), std::fabs(range.upper));
    const double first = std::ceil((range.lower - origin) / step - 1e-9);
    for (int i = 0; i <= 4 * target + 4; ++i) {
        double at = origin + (first + i) * step;
        if (std::fabs(at) < step * 1e-9) at = 0;
        if (at > range.upper + step * 1e-9) break;
        ticks.major.push_back(at);
        ticks.labels.push_back(label_of(at, format, step, largest));
    }
    if (whole) return ticks;
    const int parts =
        std::fabs(step / std::pow(10.0, std::floor(std::log10(step) + 1e-9)) - 2) < 0.01 ? 4 : 5;
    for (double i = (first - 1) * parts; ticks.minor.size() < 400; ++i) {
        const double at = origin + i * step / parts;
        if (at > range.upper) break;
        if (at >= range.lower && std::fmod(std::fabs(i), parts) != 0) ticks.minor.push_back(at);
    }
    return ticks;
}

std::string log_label(double value, NumberFormat format) {
    const double step = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
    return label_of(value, format, step, value * 1.0001);
}

/// Keeps labels at least `gap` of the axis apart; an unlabelled tick becomes a small one.
void thin_out(Ticks& ticks, Range range, double gap) {
    Ticks kept;
    kept.minor = ticks.minor;
    double last = -1;
    for (size_t i = 0; i < ticks.major.size(); ++i) {
        const double place =
            std::log(ticks.major[i] / range.lower) / std::log(range.upper / range.lower);
        if (kept.major.empty() || place - last >= gap) {
            kept.major.push_back(ticks.major[i]);
            kept.labels.push_back(ticks.labels[i]);
            last = place;
        } else {
            kept.minor.push_back(ticks.major[i]);
        }
    }
    ticks = std::move(kept);
}

Ticks log_ticks(Range range, NumberFormat format, int target) {
    const double decades = std::log10(range.upper / range.lower);
    if (decades < 0.8) {
        Ticks ticks = linear_ticks(range, format, target);
        ticks.minor.clear();
        thin_out(ticks, range, 0.5 / target);
        return ticks;
    }
    Ticks ticks;
    const auto low = static_cast<int>(std::floor(std::log10(range.lower)));
    const auto high = static_cast<int>(std::ceil(std::log10(range.upper)));
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / (1.5 * target))));
    // Of fewer than one and a half decades 1 and 10 alone, one of them at an edge, tell nothing.
    const bool between = decades < std::max(1.5, target / 3.0);
    for (int power = low; power <= high; ++power)
        for (int mantissa = 1; mantissa < 10; ++mantissa) {
            const double at = mantissa * std::pow(10.0, power);
            if (at < range.lower * (1 - 1e-9) || at > range.upper * (1 + 1e-9)) continue;
            const bool decade = mantissa == 1 && power % stride == 0;
            if (decade || (between && (mantissa == 2 || mantissa == 5))) {
                ticks.major.push_back(at);
                ticks.labels.push_back(log_label(at, format));
            } else if (stride == 1 || mantissa == 1) {
                ticks.minor.push_back(at);
            }
        }
    return ticks;
}

}  // namespace

std::string tick_label(double value, NumberFormat format, int decimals) {
    if (value == 0) return "0";
    const double size = std::fabs(value);
    if (size >= 1e6 || size < 1e-4) return with_minus_sign(fmt::format("{:.{}g}", value, 3));
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (format == NumberFormat::kSigned && value > 0) text = "+" + text;
    return with_minus_sign(text);
}

Ticks make_ticks(Range range, AxisScale scale, NumberFormat format, int target) {
    constexpr int kMostTarget = 20;
    target = std::clamp(target, 2, kMostTarget);
    const bool log = scale == AxisScale::kLog;
    const bool usable = std::isfinite(range.lower) && std::isfinite(range.upper) &&
                        range.upper > range.lower && (!log || range.lower > 0);
    if (!usable) return {};
    // One tick alone tells nothing of the scale: 5 of an axis from 2 to 8.
    constexpr size_t kLeast = 2;
    Ticks ticks;
    for (int asked = target; ticks.major.size() < kLeast && asked <= kMostTarget; asked += 2) {
        ticks = log ? log_ticks(range, format, asked) : linear_ticks(range, format, asked);
        if (format == NumberFormat::kWhole) break;
    }
    return ticks;
}

}  // namespace headroom
