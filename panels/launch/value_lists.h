#pragma once

#include <string>
#include <vector>

#include "panels/launch/launch_form.h"

namespace headroom {

/// One choice among the values that a form lists.
struct GridPoint {
    std::map<std::string, std::string> values;  ///< LaunchInput::values with one value each
    std::vector<std::string> listed;            ///< of the lists, as names and values: "lr=1e-3"
};

/// Numbers may be given as a list, "1e-3, 2e-3": every combination of the lists is a point, the
/// last key of the form changing fastest; a number that is listed twice counts once. UserError
/// where there are more than kMostGridPoints, or where a list has an empty place.
std::vector<GridPoint> grid_points(const std::map<std::string, std::string>& values);
inline constexpr size_t kMostGridPoints = 1000;

}  // namespace headroom
