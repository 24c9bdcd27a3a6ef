#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/enum_names.h"
#include "core/config/job.h"
#include "core/config/open_keys.h"
#include "core/config/schema.h"

/// Private to core/config: the schema's fields with the members of Job that they fill. A file that
/// binds fields includes <nlohmann/json.hpp> itself.
namespace headroom {

struct BoundField {
    Field field;
    std::function<nlohmann::json(const Job&)> get;
    /// REQUIRES: check_value(field, value) has passed.
    std::function<void(Job&, const nlohmann::json&)> set;
    Default standard{};     ///< the member's initial value unless it says otherwise
    Completion complete{};  ///< of a given value that may leave something open
};

/// The key with a default that follows from others: `text` says how.
BoundField with_default(BoundField bound, std::string text, Default standard);
/// The key with a default for each family (model.base); the text follows.
BoundField by_base(BoundField bound, const nlohmann::json& gpt2, const nlohmann::json& llama);

/// All fields, in the order of job_schema().
const std::vector<BoundField>& bound_fields();

std::vector<BoundField> run_fields();      ///< the top level
std::vector<BoundField> model_fields();    ///< dimensions and block
std::vector<BoundField> image_fields();    ///< what a model of pictures reads
std::vector<BoundField> expert_fields();   ///< mixture of experts
std::vector<BoundField> variant_fields();  ///< query, sharing and residual variants
std::vector<BoundField> data_fields();
std::vector<BoundField> train_fields();

/// Throws UserError "PATH = VALUE ..." for a wrong type, an unknown choice or a value out of range.
void check_value(const Field& field, const nlohmann::json& value);

/// What the named keys of one section own beside their values; see Field.
void count_when(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys,
                const Condition& condition);
void set_concern(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys,
                 Concern concern);
void let_resume(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys);

template <class T>
constexpr FieldType field_type_of() {
    if constexpr (std::is_same_v<T, bool>)
        return FieldType::kBoolean;
    else if constexpr (std::is_integral_v<T>)
        return FieldType::kInteger;
    else if constexpr (std::is_floating_point_v<T>)
        return FieldType::kNumber;
    else if constexpr (std::is_enum_v<T>)
        return FieldType::kChoice;
    else
        return FieldType::kText;
}

/// The member as JSON holds it: an enumeration by its spelling.
template <class T>
auto encoded(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return std::string(spelling(value));
    else
        return value;
}

template <class T, class Json>
T decoded(const Json& value) {
    if constexpr (std::is_enum_v<T>)
        return value_of<T>(value.template get<std::string>());
    else
        return value.template get<T>();
}

/// Binds a field to what `member` finds in a Job: a generic callable Job& -> T&.
template <class Member>
BoundField bind(Field field, Member member) {
    using T = std::remove_cvref_t<decltype(member(std::declval<Job&>()))>;
    field.type = field_type_of<T>();
    if constexpr (std::is_enum_v<T>) field.choices = spellings<T>();
    if (field.type == FieldType::kText && !field.choices.empty()) field.type = FieldType::kChoice;
    return {std::move(field), [member](const Job& job) { return encoded<T>(member(job)); },
            [member](Job& job, const auto& value) { member(job) = decoded<T>(value); }};
}

template <class T>
BoundField bind_model(T ModelConfig::*member, Field field) {
    return bind(
        std::move(field), [member](auto& job) -> auto& { return job.model.*member; });
}

template <class T>
BoundField bind_wiring(T WiringChoice::*member, Field field) {
    return bind(
        std::move(field), [member](auto& job) -> auto& { return job.model.wiring_choice.*member; });
}

}  // namespace headroom
