#include "app/number_checks.h"

#include <optional>

#include <CLI/CLI.hpp>

namespace headroom {

static std::optional<double> number_in(const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) ? std::optional(number) : std::nullopt;
}

std::string above_zero(const std::string& text) {
    const std::optional<double> number = number_in(text);
    if (!number) return text + " is no number";
    return *number > 0 ? "" : text + " is not above 0";
}

std::string not_below_zero(const std::string& text) {
    const std::optional<double> number = number_in(text);
    if (!number) return text + " is no number";
    return *number >= 0 ? "" : text + " is not 0 or more";
}

}  // namespace headroom
