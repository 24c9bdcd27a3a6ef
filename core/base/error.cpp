#include "core/base/error.h"

#include <fmt/format.h>

namespace headroom {

UserError::UserError(const std::string& what_was_wrong, const std::string& how_to_mend)
    : std::invalid_argument(what_was_wrong + "; " + how_to_mend) {}

UserError::UserError(const std::string& message) : std::invalid_argument(message) {}

EnvironmentError::EnvironmentError(const std::string& what_was_wrong,
                                   const std::string& how_to_mend)
    : std::runtime_error(what_was_wrong + "; " + how_to_mend) {}

EnvironmentError::EnvironmentError(const std::string& message) : std::runtime_error(message) {}

InternalError::InternalError(const char* condition, const char* file, int line,
                             const std::string& detail)
    : std::logic_error(
          fmt::format("internal error at {}:{}: {} ({})", file, line, detail, condition)) {}

}  // namespace headroom
