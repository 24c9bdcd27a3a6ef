#include "core/log/interop/foreign_log.h"

#include <charconv>
#include <cmath>

namespace headroom {

/// As of an epoch, which stands in the training row of a step and in its evaluation's.
static bool says_the_same(const ForeignPoint& a, const ForeignPoint& b) {
    return a.step == b.step && (a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)));
}

/// Leaves out what the other scalars have behind a step from which the run went on again.
static void end_others(ForeignLog& log, const std::string& scalar, int64_t step) {
    for (auto& [name, points] : log.scalars)
        for (; name != scalar && !points.empty() && points.back().step > step; points.pop_back())
            ++log.overtaken;
    std::erase_if(log.scalars, [](const auto& each) { return each.second.empty(); });
}

void ForeignLog::add(const std::string& scalar, const ForeignPoint& point) {
    if (point.step < 0 || point.step > kMostForeignSteps) {
        ++misplaced;
        return;
    }
    std::vector<ForeignPoint>& points = scalars[scalar];
    const bool goes_back = !points.empty() && points.back().step > point.step;
    for (; !points.empty() && points.back().step >= point.step; points.pop_back())
        overtaken += !says_the_same(points.back(), point);
    points.push_back(point);
    constexpr double kYear10000 = 253402300800;  // nanoseconds, say
    if (!(point.wall_time > 0 && point.wall_time < kYear10000)) points.back().wall_time = 0;
    if (goes_back && in_one_order) end_others(*this, scalar, point.step);
}

std::optional<double> logged_number(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text == "nan" || text == "NaN") return std::nan("");
    if (text == "inf" || text == "Infinity") return HUGE_VAL;
    if (text == "-inf" || text == "-Infinity") return -HUGE_VAL;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace headroom
