#pragma once

#include <optional>
#include <string_view>

namespace headroom {

/// The number that the whole text is: "0.5", "+2", "1e-3", "inf". The sign of decimals is the point
/// whatever the locale, unlike for strtod and stod. None for anything else, "" and " 1" too, and
/// where a double cannot hold it.
std::optional<double> parse_number(std::string_view text);

}  // namespace headroom
