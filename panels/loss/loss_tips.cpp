#include "panels/loss/loss_tips.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headroom {
namespace {

/// The point nearest to x: of the two around it, the one that is less far.
size_t nearest_index(const std::vector<double>& values, double x) {
    const auto after = std::lower_bound(values.begin(), values.end(), x);
    if (after == values.begin()) return 0;
    if (after == values.end()) return values.size() - 1;
    const auto index = static_cast<size_t>(after - values.begin());
    return x - values[index - 1] <= values[index] - x ? index - 1 : index;
}

/// Whether a curve has something to say at x: up to one step of its points behind its last.
bool reaches(const std::vector<double>& points, double x) {
    const size_t count = points.size();
    if (count < 2) return true;
    return x >= points[0] - (points[1] - points[0]) &&
           x <= points[count - 1] + (points[count - 1] - points[count - 2]);
}

}  // namespace

void sort_from_the_top(std::vector<LossTip>& tips) {
    const auto height = [](const LossTip& tip) {
        return std::isnan(tip.value) ? -HUGE_VAL : tip.value;
    };
    std::stable_sort(tips.begin(), tips.end(),
                     [&](const LossTip& a, const LossTip& b) { return height(a) > height(b); });
}

std::vector<LossTip> tips_at(const LossView& view, double x) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const bool both = std::any_of(view.curves.begin(), view.curves.end(), [&](const auto& curve) {
        return curve.kind != view.curves.front().kind;
    });
    // Runs that ended before, where others go on, say nothing of this place.
    const bool some_reach = std::any_of(view.curves.begin(), view.curves.end(), [&](const auto& c) {
        return c.visible && !c.x->empty() && reaches(*c.x, x);
    });
    std::vector<LossTip> tips;
    for (const LossCurve& curve : view.curves) {
        const CurvePoints& points = curve.near(x);
        if (!curve.visible || points.x->empty()) continue;
        if (some_reach && !reaches(*curve.x, x)) continue;
        const size_t i = nearest_index(*points.x, x);
        const uint32_t row = points.rows[i];
        const char* kind = curve.kind == LossKind::kTrain ? " train" : " val";
        tips.push_back({.name = curve.name + (both ? kind : ""),
                        .color = curve.color,
                        .shade = curve.shade,
                        .x = (*points.x)[i],
                        .value = (*points.value)[i],
                        .raw = (*points.raw)[i],
                        .lower = curve.has_band() ? (*points.lower)[i] : kNone,
                        .upper = curve.has_band() ? (*points.upper)[i] : kNone,
                        .seeds = curve.seeds,
                        .step = curve.series.step(row),
                        .tokens = curve.series.tokens(row),
                        .seconds = seconds_of(curve.series, points, i)});
    }
    sort_from_the_top(tips);
    return tips;
}

}  // namespace headroom
