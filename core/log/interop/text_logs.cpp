#include "core/log/interop/text_logs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

template <class Use>
void for_each_line(std::string_view text, Use&& use) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        text.remove_prefix(std::min(end + 1, text.size()));
        use(line);
    }
}

std::optional<int64_t> step_in(std::string_view text) {
    const std::optional<double> value = logged_number(text);
    if (!value || !(*value >= 0) || *value > 9e15 || *value != std::floor(*value))
        return std::nullopt;
    return static_cast<int64_t>(*value);
}

/// What follows `key` in the line up to one of `ends`, or the end of the line.
std::optional<double> value_after(std::string_view line, std::string_view key,
                                  std::string_view ends) {
    const size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(at + key.size());
    return logged_number(rest.substr(0, std::min(rest.find_first_of(ends), rest.size())));
}

void add_if(ForeignLog& log, const char* name, int64_t step, std::optional<double> value) {
    if (value) log.add(name, {step, 0, *value});
}

std::vector<std::string> csv_cells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back().push_back('"');
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back().push_back(c);
        }
    }
    return cells;
}

bool is_step_name(const std::string& name) {
    static const std::vector<std::string> names{"step", "Step", "_step", "iter", "iteration"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_time_name(const std::string& name) {
    return name == "_timestamp" || name == "wall_time" || name == "Wall time";
}

/// Which columns of a table are steps and times; none: -1.
struct CsvPlaces {
    int step = -1, time = -1;
};

CsvPlaces csv_places(const std::vector<std::string>& heads, const std::string& step_column) {
    CsvPlaces places;
    for (size_t c = 0; c < heads.size(); ++c) {
        const bool is_step = step_column.empty() ? is_step_name(heads[c]) : heads[c] == step_column;
        if (is_step && places.step < 0) places.step = static_cast<int>(c);
        if (is_time_name(heads[c])) places.time = static_cast<int>(c);
    }
    if (!step_column.empty() && places.step < 0)
        throw UserError("the table has no column " + step_column, "name one of its heads");
    return places;
}

ForeignLog read_plain_csv(std::string_view text) {
    return read_csv_log(text);
}

}  // namespace

ForeignLog read_nanogpt_log(std::string_view text) {
    ForeignLog log{"nanoGPT", {}};
    for_each_line(text, [&](std::string_view line) {
        const bool evaluates = line.starts_with("step "), trains = line.starts_with("iter ");
        if (!evaluates && !trains) return;
        const std::optional<int64_t> step = step_in(line.substr(5, line.find(':') - 5));
        if (!step) return;
        if (trains) {
            add_if(log, "train/loss", *step, value_after(line, ": loss ", ","));
            add_if(log, "train/step_ms", *step, value_after(line, "time ", "m,"));
            add_if(log, "train/mfu_percent", *step, value_after(line, "mfu ", "%,"));
        } else {
            add_if(log, "eval/train_loss", *step, value_after(line, "train loss ", ","));
            add_if(log, "val/loss", *step, value_after(line, "val loss ", ","));
        }
    });
    return log;
}

ForeignLog read_llmc_log(std::string_view text) {
    ForeignLog log{"llm.c", {}};
    for_each_line(text, [&](std::string_view line) {
        if (!line.starts_with("s:")) return;
        const std::optional<int64_t> step = step_in(line.substr(2, line.find(' ') - 2));
        if (!step) return;
        add_if(log, "train/loss", *step, value_after(line, " trl:", " "));
        add_if(log, "train/lr", *step, value_after(line, " lr:", " "));
        add_if(log, "train/grad_norm", *step, value_after(line, " norm:", " "));
        add_if(log, "val/loss", *step, value_after(line, " tel:", " "));
        add_if(log, "hellaswag", *step, value_after(line, " eval:", " "));
    });
    return log;
}

ForeignLog read_modded_nanogpt_log(std::string_view text) {
    ForeignLog log{"modded-nanogpt", {}};
    for_each_line(text, [&](std::string_view line) {
        if (!line.starts_with("step:")) return;
        const std::optional<int64_t> step = step_in(line.substr(5, line.find_first_of("/ ") - 5));
        if (!step) return;
        add_if(log, "train/loss", *step, value_after(line, " train_loss:", " "));
        add_if(log, "val/loss", *step, value_after(line, " val_loss:", " "));
        if (const auto ms = value_after(line, " train_time:", "m "))
            add_if(log, "train/seconds", *step, *ms / 1000);
    });
    return log;
}

ForeignLog read_csv_log(std::string_view text, const std::string& step_column) {
    ForeignLog log{"CSV", {}};
    std::vector<std::string> heads;
    CsvPlaces places;
    int64_t row = 0;
    for_each_line(text, [&](std::string_view line) {
        if (line.empty()) return;
        const std::vector<std::string> cells = csv_cells(line);
        if (heads.empty()) {
            heads = cells;
            places = csv_places(heads, step_column);
            return;
        }
        ++row;
        if (cells.size() != heads.size())
            throw UserError(fmt::format("row {} of the table has {} places, its head {}", row,
                                        cells.size(), heads.size()),
                            "give a table of one head and rows of equal length");
        const auto step = places.step < 0 ? std::optional<int64_t>(row)
                                          : step_in(cells[static_cast<size_t>(places.step)]);
        if (!step) return;
        const double time =
            places.time < 0 ? 0
                            : logged_number(cells[static_cast<size_t>(places.time)]).value_or(0);
        for (size_t c = 0; c < cells.size(); ++c) {
            const bool is_place =
                static_cast<int>(c) == places.step || static_cast<int>(c) == places.time;
            if (const auto value = logged_number(cells[c]); value && !is_place && !heads[c].empty())
                log.add(heads[c], {*step, time, *value});
        }
    });
    return log;
}

ForeignLog read_jsonl_log(std::string_view text) {
    ForeignLog log{"JSON lines", {}};
    int64_t row = 0;
    for_each_line(text, [&](std::string_view line) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        const nlohmann::json object =
            parse_json(std::string(line), fmt::format("line {}", row + 1));
        if (!object.is_object())
            throw UserError(fmt::format("line {} is no JSON object", row + 1),
                            "give one object of numbers a line");
        int64_t step = ++row;
        double time = 0;
        for (const auto& [name, value] : object.items()) {
            if (!value.is_number()) continue;
            if (is_step_name(name)) step = static_cast<int64_t>(value.get<double>());
            if (is_time_name(name)) time = value.get<double>();
        }
        for (const auto& [name, value] : object.items())
            if (value.is_number() && !is_step_name(name) && !is_time_name(name))
                log.add(name, {step, time, value.get<double>()});
    });
    return log;
}

const std::vector<TextLogFormat>& text_log_formats() {
    static const std::vector<TextLogFormat> formats{{"nanogpt", read_nanogpt_log},
                                                    {"llm.c", read_llmc_log},
                                                    {"modded-nanogpt", read_modded_nanogpt_log},
                                                    {"csv", read_plain_csv},
                                                    {"jsonl", read_jsonl_log}};
    return formats;
}

std::optional<TextLogFormat> recognise_text_log(std::string_view text) {
    const auto by_name = [](const char* name) {
        const auto& all = text_log_formats();
        return *std::find_if(all.begin(), all.end(),
                             [&](const TextLogFormat& format) { return format.name == name; });
    };
    if (const size_t first = text.find_first_not_of(" \t\r\n");
        first != std::string_view::npos && text[first] == '{')
        return by_name("jsonl");
    for (const char* name : {"nanogpt", "llm.c", "modded-nanogpt"})
        if (!by_name(name).read(text).scalars.empty()) return by_name(name);
    const std::string_view head = text.substr(0, std::min(text.find('\n'), text.size()));
    if (head.find(',') != std::string_view::npos) return by_name("csv");
    return std::nullopt;
}

}  // namespace headroom
