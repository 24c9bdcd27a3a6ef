#include "core/config/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/config/field_binding.h"

namespace headroom {
namespace {

std::string plain_number(double value) {
    const bool whole = value == static_cast<double>(static_cast<int64_t>(value));
    return whole ? fmt::format("{}", static_cast<int64_t>(value)) : fmt::format("{}", value);
}

}  // namespace

std::string Field::section() const {
    const size_t dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string Field::key() const {
    const size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

static BoundField& field_of(std::vector<BoundField>& fields, std::string_view key) {
    for (BoundField& bound : fields)
        if (bound.field.key() == key) return bound;
    CHECK(false, "the key is one of the list");
}

void count_when(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys,
                const Condition& condition) {
    for (const std::string_view key : keys) field_of(fields, key).field.active_when = condition;
}

void set_concern(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys,
                 Concern concern) {
    for (const std::string_view key : keys) field_of(fields, key).field.concern = concern;
}

void let_resume(std::vector<BoundField>& fields, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) field_of(fields, key).field.resumable = true;
}

BoundField with_default(BoundField bound, std::string text, Default standard) {
    bound.field.default_text = std::move(text);
    bound.standard = std::move(standard);
    return bound;
}

BoundField by_base(BoundField bound, const nlohmann::json& gpt2, const nlohmann::json& llama) {
    const auto text = [](const nlohmann::json& value) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    return with_default(std::move(bound), fmt::format("{}; llama: {}", text(gpt2), text(llama)),
                        [=](OpenKeys& keys) { return keys.at("base") == "llama" ? llama : gpt2; });
}

/// Of a key that has none of its own: the member's initial value.
static void take_initial_default(BoundField& bound) {
    nlohmann::json value = bound.get(Job{});
    if (bound.field.default_text.empty()) bound.field.default_text = value.dump();
    if (!bound.standard) bound.standard = [value](OpenKeys&) { return value; };
}

const std::vector<BoundField>& bound_fields() {
    static const std::vector<BoundField> fields = [] {
        std::vector<BoundField> all = run_fields();
        for (const auto& part : {model_fields(), expert_fields(), image_fields(), variant_fields(),
                                 data_fields(), train_fields()})
            all.insert(all.end(), part.begin(), part.end());
        for (BoundField& bound : all) take_initial_default(bound);
        return all;
    }();
    return fields;
}

const std::vector<Field>& job_schema() {
    static const std::vector<Field> schema = [] {
        std::vector<Field> fields;
        for (const BoundField& bound : bound_fields()) fields.push_back(bound.field);
        return fields;
    }();
    return schema;
}

const Field* find_field(std::string_view path) {
    for (const Field& field : job_schema())
        if (field.path == path) return &field;
    return nullptr;
}

bool is_active(const Field& field, const Job& job) {
    return !field.active_when.holds || field.active_when.holds(job);
}

std::string range_text(const Field& field) {
    std::string range;
    if (field.minimum && field.maximum && !field.open_minimum && !field.open_maximum)
        range = fmt::format("{} to {}", plain_number(*field.minimum), plain_number(*field.maximum));
    else {
        if (field.minimum)
            range = fmt::format("{} {}", field.open_minimum ? "more than" : "at least",
                                plain_number(*field.minimum));
        if (field.maximum)
            range += fmt::format("{}{} {}", range.empty() ? "" : ", ",
                                 field.open_maximum ? "less than" : "at most",
                                 plain_number(*field.maximum));
    }
    if (field.choices.empty()) return range;
    if (!field.choices_text.empty()) return field.choices_text;
    return fmt::format("{}{}{}", range, range.empty() ? "" : ", or ",
                       fmt::join(field.choices, ", "));
}

std::string_view type_text(FieldType type) {
    switch (type) {
        case FieldType::kInteger:
            return "whole number";
        case FieldType::kNumber:
            return "number";
        case FieldType::kBoolean:
            return "true or false";
        case FieldType::kText:
            return "text";
        case FieldType::kChoice:
            return "one of";
        case FieldType::kObject:
            return "object";
        case FieldType::kList:
            return "list";
    }
    return "";
}

std::string key_table_markdown() {
    std::string text =
        "# Keys of a job file\n\n"
        "Generated from the schema (core/config/*_fields.cpp) by `headroom describe --keys`; a "
        "test compares.\nA key is the dotted path of `--set KEY=VALUE`. Unknown keys are "
        "refused.\n";
    std::string group;
    for (const Field& field : job_schema()) {
        if (field.group != group) {
            group = field.group;
            text += fmt::format(
                "\n## {}\n\n| key | type | default | unit | range | meaning |\n"
                "| --- | --- | --- | --- | --- | --- |\n",
                group);
        }
        const std::string& needs = field.active_when.needs;
        text += fmt::format("| `{}` | {}{} | {} | {} | {} | {}{} |\n", field.path,
                            type_text(field.type), field.per_layer ? ", or a list by layer" : "",
                            field.default_text, field.unit, range_text(field), field.help,
                            needs.empty() ? "" : fmt::format(" (counts with {})", needs));
    }
    return text;
}

}  // namespace headroom
