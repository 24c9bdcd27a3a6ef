#include "core/log/interop/json_logs.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/parse_number.h"
#include "core/log/interop/log_lines.h"
#include "core/log/interop/step_axis.h"

namespace headroom {
namespace {

/// NaN, Infinity and -Infinity, which Python writes into JSON as they are, in quotes.
std::string with_quoted_numbers(std::string_view text) {
    std::string quoted;
    bool in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (in_text && text[i] == '\\' && i + 1 < text.size())
            quoted.push_back(text[i++]);
        else if (text[i] == '"')
            in_text = !in_text;
        std::string_view word;
        for (const std::string_view each : {"NaN", "Infinity", "-Infinity"})
            if (!in_text && text.substr(i).starts_with(each)) word = each;
        if (word.empty()) {
            quoted.push_back(text[i]);
        } else {
            quoted.append("\"").append(word).append("\"");
            i += word.size() - 1;
        }
    }
    return quoted;
}

/// Of a value in JSON; a text may be one that JSON has no number for.
std::optional<double> json_number(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    const std::optional<double> number = logged_number(value.get<std::string>());
    return number && !std::isfinite(*number) ? number : std::nullopt;
}

/// A whole number in quotes, as some write steps.
std::optional<double> quoted_step(const nlohmann::json& value) {
    if (!value.is_string()) return std::nullopt;
    const std::optional<double> number = parse_number(value.get<std::string>());
    return number && step_of(*number) ? number : std::nullopt;
}

void take_object(const nlohmann::json& object, int64_t row, LoggedRows& rows) {
    double time = 0;
    std::vector<std::pair<std::string, double>> numbers;
    for (const auto& [name, value] : object.items()) {
        const std::optional<double> number = json_number(value);
        if (is_time_name(name))
            time = number.value_or(0);
        else if (number)
            numbers.emplace_back(name, *number);
        else if (const auto quoted = quoted_step(value))
            numbers.emplace_back(name, *quoted);
        else
            rows.see_without_number(name);
    }
    rows.take(row, time, numbers);
}

constexpr char kLogHistory[] = "log_history";

/// The rows of a Trainer's state; null where the text is none.
nlohmann::json log_history(std::string_view text) {
    if (text.find(kLogHistory) == std::string_view::npos) return nullptr;
    const nlohmann::json state =
        parse_json_or_null(with_quoted_numbers(without_byte_order_mark(text)));
    const auto rows = state.is_object() ? state.find(kLogHistory) : state.end();
    if (rows == state.end() || !rows->is_array()) return nullptr;
    return *rows;
}

}  // namespace

ForeignLog read_jsonl_log(std::string_view text, const std::string& step_column) {
    ForeignLog log{"JSON lines", {}};
    log.in_one_order = true;
    LoggedRows rows(step_column);
    int64_t row = 0;
    const char* const end = text.data() + text.size();
    for_each_line(text, [&](std::string_view line) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        ++row;
        const nlohmann::json object = parse_json_or_null(with_quoted_numbers(line));
        if (object.is_object()) return take_object(object, row, rows);
        const bool is_cut = line.data() + line.size() == end && row > 1;
        if (!is_cut)
            throw UserError(fmt::format("line {} is no JSON object", row),
                            "give one object of numbers a line");
        log.notes.push_back(fmt::format("line {}, the last, is cut short and left out", row--));
    });
    rows.put_into(log);
    return log;
}

ForeignLog read_trainer_state(std::string_view text, const std::string& step_column) {
    const nlohmann::json history = log_history(text);
    if (!history.is_array())
        throw UserError("the text has no list log_history, as a trainer_state.json does",
                        "copy it again, or leave --format out");
    ForeignLog log{"Hugging Face Trainer", {}};
    LoggedRows rows(step_column);
    int64_t row = 0;
    for (const nlohmann::json& object : history) {
        ++row;
        if (!object.is_object())
            throw UserError(fmt::format("entry {} of log_history is no JSON object", row),
                            "copy the file again");
        take_object(object, row, rows);
    }
    rows.put_into(log);
    return log;
}

bool is_trainer_state(std::string_view text) {
    return log_history(text).is_array();
}

}  // namespace headroom
