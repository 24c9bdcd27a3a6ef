#pragma once

#include <string>

namespace headroom {

/// Checks of an option's text, for CLI::Option::check: "" where it is such a number, else what is
/// wrong in words. CLI11's own say a range up to 2^1024 in all its digits.
std::string above_zero(const std::string& text);
std::string not_below_zero(const std::string& text);

}  // namespace headroom
