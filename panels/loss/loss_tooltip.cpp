#include "panels/loss/loss_tooltip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/loss/loss_tips.h"

namespace headroom {
namespace {

/// Losses in four decimals; differences with their sign, percentages with their unit.
std::string number(double value, const FigureAxis& axis) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    const bool percent = axis.column.ends_with("_percent");
    const bool is_loss = axis.column.starts_with("loss");
    const std::string digits = is_loss || percent
                                   ? fmt::format("{:.{}f}", std::fabs(value), percent ? 3 : 4)
                                   : fmt::format("{:.6g}", std::fabs(value));
    const bool is_difference = axis.format == NumberFormat::kSigned;
    const char* sign = value < 0 ? "−" : is_difference ? "+" : "";
    return sign + digits + (percent ? " %" : "");
}

TooltipRow row_of(const LossTip& tip, const FigureAxis& axis) {
    TooltipRow row;
    row.color = tip.color;
    row.shade = tip.shade;
    row.name = tip.name;
    row.value = number(tip.value, axis);
    row.raw = number(tip.raw, axis);
    if (std::isfinite(tip.lower))
        row.band = fmt::format("{} … {}", number(tip.lower, axis), number(tip.upper, axis));
    row.step = format_integer(tip.step);
    row.tokens = format_count(static_cast<double>(tip.tokens));
    row.time = format_duration(tip.seconds > 0 ? tip.seconds : NAN);
    return row;
}

}  // namespace

LossTooltip loss_tooltip(const LossView& view, double x, double y, size_t most) {
    std::vector<LossTip> tips = tips_at(view, x);
    LossTooltip result;
    if (tips.size() > most) {
        result.more = fmt::format("and {} more", tips.size() - most);
        const auto distance = [y](const LossTip& tip) {
            return std::isnan(tip.value) ? HUGE_VAL : std::fabs(tip.value - y);
        };
        std::stable_sort(tips.begin(), tips.end(), [&](const LossTip& a, const LossTip& b) {
            return distance(a) < distance(b);
        });
        tips.resize(most);
        sort_from_the_top(tips);
    }
    for (const LossTip& tip : tips) result.rows.push_back(row_of(tip, view.figure.y));
    return result;
}

}  // namespace headroom
