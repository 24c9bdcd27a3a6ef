#pragma once

#include <functional>
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

struct Job;

/// When a key counts: in jobs for which `holds` does. Empty: always.
struct Condition {
    std::string needs;  ///< completes "has no effect without ..."
    std::function<bool(const Job&)> holds;
};

/// What a model key decides, beside the shapes of the tensors.
enum class Concern {
    kFunction,  ///< what given weights compute
    kLabel,     ///< what the model is called, or how long its sequences may be
    kStart,     ///< what the weights are at first, and what training adds to the loss
    kWiring,    ///< where heads come from, which the wiring table sums up
    kRecord,    ///< what is written down of a run and where it is computed, not what it learns
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
    std::string group{};       ///< heading in the form and in KEYS.md
    bool advanced = false;     ///< behind "more" in the form
    bool input_only = false;   ///< understood when reading, never written (model.preset)
    bool newer = false;        ///< files that older versions wrote out in full lack it
    std::string instead_of{};  ///< path of the key that this one says in another way
    bool resumable = false;    ///< may change while a run goes on: what it has done stays right
    Condition active_when{};
    Concern concern = Concern::kFunction;

    std::string section() const;  ///< "model", "data", "train", or "" for the top level
    std::string key() const;      ///< the last part of the path
};

/// Every key of the job file, in the order of the document.
const std::vector<Field>& job_schema();

/// The field with this path, or nullptr.
const Field* find_field(std::string_view path);

/// Whether the key counts for this job.
bool is_active(const Field& field, const Job& job);

/// "1 to 1024", "more than 0", "a | b | c", or "": what KEYS.md, the form and messages say.
std::string range_text(const Field& field);

/// "whole number", "number", "true or false", "text", "one of", "object", "list".
std::string_view type_text(FieldType type);

/// The whole table as Markdown, which core/config/KEYS.md holds.
std::string key_table_markdown();

}  // namespace headroom
