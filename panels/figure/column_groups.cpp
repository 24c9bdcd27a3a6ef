#include "panels/figure/column_groups.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr double kGroupWidth = 0.76;  ///< of the distance between groups
constexpr double kRoom = 1.12;        ///< above the highest column, for its number
constexpr size_t kMostNumbers = 14;   ///< that stand beside each other without touching

}  // namespace

Figure draw_column_groups(const ColumnGroups& columns) {
    CHECK(columns.heights.size() == columns.members.size(), "heights of every member");
    const size_t count = columns.groups.size() * columns.members.size();
    const double width = kGroupWidth / static_cast<double>(columns.members.size());
    Figure figure;
    double highest = 0;
    for (size_t m = 0; m < columns.members.size(); ++m) {
        CHECK(columns.heights[m].size() == columns.groups.size(), "a height for every group");
        for (size_t g = 0; g < columns.groups.size(); ++g) {
            const double height = columns.heights[m][g];
            if (!std::isfinite(height)) continue;
            FigureBar bar;
            bar.name = columns.members[m];
            bar.x = static_cast<double>(g + 1);
            bar.offset = (static_cast<double>(m) + 0.5) * width - kGroupWidth / 2;
            bar.half_width = 0.46 * width;
            bar.upper = height;
            bar.color = static_cast<int>(m);
            if (count <= kMostNumbers) bar.label = fmt::format("{:.{}f}", height, columns.decimals);
            figure.bars.push_back(std::move(bar));
            highest = std::max(highest, height);
        }
    }
    figure.x.column = columns.groups_column;
    figure.x.names = columns.groups;
    figure.x.range = {0.5, static_cast<double>(columns.groups.size()) + 0.5};
    figure.y = columns.y;
    figure.y.range = {0, highest > 0 ? kRoom * highest : 1};
    figure.legend = columns.members.size() > 1 ? LegendPlace::kBelow : LegendPlace::kNone;
    return figure;
}

}  // namespace headroom
