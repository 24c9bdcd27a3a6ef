#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headroom {

/// A run that is to be coloured.
struct ColoredRun {
    std::string group;
    std::optional<int> stored;  ///< the colour that the study's labels give it
    int color = 0;              ///< filled in
};

/// Gives every run the colour of its group: the first stored one of its runs, or the lowest that no
/// group here has. Groups without a stored colour are served in the order of their first runs.
void assign_colors(std::vector<ColoredRun>& runs);

}  // namespace headroom
