#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/base/nearest.h"
#include "core/config/field_binding.h"

namespace headroom {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const Field& field, const json& value, const std::string& why,
                         const std::string& mend) {
    throw UserError(fmt::format("{} = {} {}", field.path, shown(value), why), mend);
}

bool is_whole(const json& value) {
    if (value.is_number_unsigned())
        return value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (value.is_number_integer()) return true;
    if (!value.is_number_float()) return false;
    const double number = value.get<double>();
    return std::abs(number) <= 9007199254740992.0 && number == std::floor(number);
}

void check_range(const Field& field, const json& value) {
    const double number = value.get<double>();
    const bool low =
        field.minimum && (field.open_minimum ? number <= *field.minimum : number < *field.minimum);
    const bool high =
        field.maximum && (field.open_maximum ? number >= *field.maximum : number > *field.maximum);
    if (low || high || !std::isfinite(number))
        refuse(field, value, "is out of range", "choose " + range_text(field));
}

void check_choice(const Field& field, const json& value) {
    const auto& text = value.get_ref<const std::string&>();
    for (const std::string& choice : field.choices)
        if (text == choice) return;
    throw UserError(fmt::format("{} = {} is not known{}", field.path, shown(value),
                                suggestion(text, field.choices)));
}

/// Every entry by itself; the number of layers is not known yet.
void check_list(const Field& field, const json& list) {
    if (list.empty()) refuse(field, list, "is empty", "give one entry per layer");
    Field entry = field;
    entry.per_layer = false;
    for (size_t layer = 0; layer < list.size(); ++layer) {
        entry.path = fmt::format("{}[{}]", field.path, layer);
        check_value(entry, list[layer]);
    }
}

void check_by_type(const Field& field, const json& value) {
    switch (field.type) {
        case FieldType::kInteger:
            if (!is_whole(value))
                refuse(field, value, "is not a whole number", "choose " + range_text(field));
            return check_range(field, value);
        case FieldType::kNumber:
            if (value.is_string() && !field.choices.empty()) return check_choice(field, value);
            if (!value.is_number())
                refuse(field, value, "is not a number", "choose " + range_text(field));
            return check_range(field, value);
        case FieldType::kBoolean:
            if (!value.is_boolean()) refuse(field, value, "is not a switch", "use true or false");
            return;
        case FieldType::kText:
            if (!value.is_string()) refuse(field, value, "is not text", "put it in quotes");
            if (value.get_ref<const std::string&>().empty())
                refuse(field, value, "is empty", field.help);
            return;
        case FieldType::kChoice:
            if (!value.is_string())
                refuse(field, value, "is not known", "choose " + range_text(field));
            return check_choice(field, value);
        case FieldType::kObject:
            if (!value.is_object() && !value.is_null())
                refuse(field, value, "is not an object", "write {...}, or null to leave it out");
            return;
        case FieldType::kList:
            if (!value.is_array()) refuse(field, value, "is not a list", "write [...]");
            return;
    }
}

}  // namespace

void check_value(const Field& field, const nlohmann::json& value) {
    try {
        field.per_layer&& value.is_array() ? check_list(field, value) : check_by_type(field, value);
    } catch (const UserError& error) {
        throw KeyError(error, {field.path});
    }
}

}  // namespace headroom
