#include "panels/figure/heatmap.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

template <class Use>
void for_each_cell(const std::vector<HeatmapPanel>& panels, Use&& use) {
    for (const HeatmapPanel& panel : panels)
        for (int64_t row = 0; row < panel.rows; ++row)
            for (int64_t column = 0; column < panel.columns; ++column)
                use(panel.at(row, column), panel.is_masked(row, column));
}

}  // namespace

HeatmapAxis numbered_axis(const std::string& label, int64_t count) {
    HeatmapAxis axis{label};
    for (int64_t i = 0; i < count; ++i) axis.names.push_back(std::to_string(shown_number(i)));
    return axis;
}

std::string HeatmapAxis::name_at(int64_t i) const {
    if (names.empty()) return std::to_string(i);
    CHECK(i >= 0 && std::cmp_less(i, names.size()), "a name for each place of the axis");
    return names[static_cast<size_t>(i)];
}

std::vector<double> unmasked_values(const std::vector<HeatmapPanel>& panels) {
    std::vector<double> values;
    for_each_cell(panels, [&](double value, bool masked) {
        if (!masked) values.push_back(value);
    });
    return values;
}

HeatmapOddities find_oddities(const HeatmapFigure& figure) {
    HeatmapOddities found;
    for_each_cell(figure.panels, [&](double value, bool masked) {
        found.masked = found.masked || masked;
        if (masked) return;
        found.nan = found.nan || std::isnan(value);
        found.infinity = found.infinity || std::isinf(value);
        found.below = found.below || (std::isfinite(value) && value < figure.scale.lower);
        found.above = found.above || (std::isfinite(value) && value > figure.scale.upper);
    });
    return found;
}

}  // namespace headroom
