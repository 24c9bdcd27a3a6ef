#pragma once

#include <cstdint>
#include <string>

namespace headroom {

/// 124373760 -> "124,373,760", whatever the locale.
std::string grouped_digits(int64_t value);

}  // namespace headroom
