#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

enum class FieldType {
    kInteger,
    kNumber,  ///< a field with choices takes these words too (model.res_lambda: "learned")
    kBoolean,
    kText,
    kChoice,
    kObject,  ///< null for "not given"
    kList,
};

/// One key of a job file. Reading, writing, messages, the launch form and KEYS.md all follow from
/// this list; a new key is one more entry in one of the *_fields.cpp files.
struct Field {
    std::string path{};                 ///< dotted, as in --set: "model.n_layer"
    std::string help{};                 ///< one line
    FieldType type = FieldType::kText;  ///< filled from the member's C++ type
    bool per_layer = false;             ///< a list with one such value per layer is taken too
    std::string default_text{};         ///< JSON, or a formula where the default is derived
    std::string unit{};
    std::vector<std::string> choices{};
    std::string choices_text{};  ///< said in place of a list of choices that is too long to read
    std::optional<double> minimum{};
    std::optional<double> maximum{};
    bool open_minimum = false;  ///< the minimum itself is refused
    bool open_maximum = false;
    std::string group{};      ///< heading in the form and in KEYS.md
    bool advanced = false;    ///< behind "more" in the form
    bool input_only = false;  ///< understood when reading, never written (model.preset)
    bool newer = false;       ///< files that older versions wrote out in full lack it

    std::string section() const;  ///< "model", "data", "train", or "" for the top level
    std::string key() const;      ///< the last part of the path
};

/// Every key of the job file, in the order of the document.
const std::vector<Field>& job_schema();

/// The field with this path, or nullptr.
const Field* find_field(std::string_view path);

/// "1 to 1024", "more than 0", "a | b | c", or "": what KEYS.md, the form and messages say.
std::string range_text(const Field& field);

/// "whole number", "number", "true or false", "text", "one of", "object", "list".
std::string_view type_text(FieldType type);

/// The whole table as Markdown, which core/config/KEYS.md holds.
std::string key_table_markdown();

}  // namespace headroom
