#include "core/base/json_numbers.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {

using nlohmann::ordered_json;

ordered_json number_or_null(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json number_or_null(const std::optional<double>& value) {
    return value ? number_or_null(*value) : ordered_json(nullptr);
}

ordered_json number_or_null(const std::optional<int>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json number_or_null(const std::optional<int64_t>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

int64_t whole_number(const nlohmann::json& value) {
    const bool fits =
        value.is_number_unsigned() ? value.get<uint64_t>() >> 63 == 0 : value.is_number_integer();
    if (!fits) throw UserError(shown(value) + " is no whole number", "write one there");
    return value.get<int64_t>();
}

double number_or_nan(const nlohmann::json& object, const char* key) {
    const nlohmann::json value = object.value(key, nlohmann::json());
    return value.is_number() ? value.get<double>() : std::nan("");
}

}  // namespace headroom
