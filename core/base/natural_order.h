#pragma once

#include <string_view>

namespace headroom {

/// Whether `a` comes before `b` where people look for it: digits that stand together count as the
/// number that they say, so that seed 2 comes before seed 10; all else by its bytes.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace headroom
