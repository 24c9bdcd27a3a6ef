#include "core/base/json_numbers.h"

#include <cmath>

#include <nlohmann/json.hpp>

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

std::optional<int64_t> whole_number(const nlohmann::json& value) {
    constexpr double kExact = 0x1p53;
    bool fits = value.is_number_integer();
    if (value.is_number_unsigned()) fits = value.get<uint64_t>() >> 63 == 0;
    if (value.is_number_float()) {
        const auto number = value.get<double>();
        fits = std::fabs(number) < kExact && std::trunc(number) == number;
    }
    return fits ? std::optional(value.get<int64_t>()) : std::nullopt;
}

double number_or_nan(const nlohmann::json& object, const char* key) {
    const nlohmann::json value = object.value(key, nlohmann::json());
    return value.is_number() ? value.get<double>() : std::nan("");
}

}  // namespace headroom
