#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// A number as JSON, which has no infinities and no NaN: null for those.
nlohmann::ordered_json number_or_null(double value);
/// Null for none as well.
nlohmann::ordered_json number_or_null(const std::optional<double>& value);
nlohmann::ordered_json number_or_null(const std::optional<int>& value);
nlohmann::ordered_json number_or_null(const std::optional<int64_t>& value);

/// A whole number from a file of a stranger, also one written as 5e2; none for anything else. What
/// get<int64_t>() makes of 1e300 is undefined.
std::optional<int64_t> whole_number(const nlohmann::json& value);

/// The way back: NaN where the object holds no number under the key.
double number_or_nan(const nlohmann::json& object, const char* key);

}  // namespace headroom
