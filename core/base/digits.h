#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// 124373760 -> "124,373,760", whatever the locale.
std::string grouped_digits(int64_t value);

/// {0, 1, 2, 5} as "0-2, 5".
std::string number_ranges(const std::vector<int64_t>& numbers);

}  // namespace headroom
