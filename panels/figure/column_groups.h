#pragma once

#include <string>
#include <vector>

#include "panels/figure/figure.h"

namespace headroom {

/// Columns in groups: in each group one for every member, side by side.
struct ColumnGroups {
    std::vector<std::string> groups;           ///< what stands below each, from left to right
    std::vector<std::string> members;          ///< what the legend says; one member needs no legend
    std::vector<std::vector<double>> heights;  ///< [member][group]; NaN for none
    std::string groups_column;                 ///< of the CSV: "size", "method"
    FigureAxis y;                              ///< all but its range
    int decimals = 1;                          ///< of the numbers above the columns
};

/// A figure of columns from zero up, with their heights above them where there is room. REQUIRES: a
/// height for every member and group.
Figure draw_column_groups(const ColumnGroups& columns);

}  // namespace headroom
