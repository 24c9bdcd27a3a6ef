#include "core/log/interop/text_logs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/log/interop/json_logs.h"
#include "core/log/interop/log_lines.h"
#include "core/log/interop/panel_export.h"
#include "core/log/interop/step_axis.h"

namespace headroom {
namespace {

std::optional<int64_t> step_in(std::string_view text) {
    return step_of(logged_number(text));
}

/// What follows `key` in the line up to one of `ends`, or the end of the line.
std::optional<double> value_after(std::string_view line, std::string_view key,
                                  std::string_view ends) {
    const size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(at + key.size());
    return logged_number(rest.substr(0, std::min(rest.find_first_of(ends), rest.size())));
}

/// Numbers as Python's {:,} writes them, without their commas.
std::string without_commas(std::string_view text) {
    std::string plain(text);
    std::erase(plain, ',');
    return plain;
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

/// Which columns of a table are steps and times; none: -1.
struct CsvPlaces {
    int step = -1, time = -1;
};

CsvPlaces csv_places(const std::vector<std::string>& heads, const std::string& step_column) {
    CsvPlaces places;
    for (size_t c = 0; c < heads.size(); ++c) {
        if (!heads[c].empty() && heads[c] == step_column && places.step < 0)
            places.step = static_cast<int>(c);
        if (is_time_name(heads[c])) places.time = static_cast<int>(c);
    }
    if (!step_column.empty() && places.step < 0)
        throw UserError("the table has no column " + printable(step_column, 60),
                        "name one of its heads");
    return places;
}

/// The lines of a table; one goes on where it ends within quotes.
template <class Use>
void for_each_record(std::string_view text, Use&& use) {
    text = without_byte_order_mark(text);
    while (!text.empty()) {
        bool quoted = false;
        size_t end = 0;
        for (; end < text.size() && (quoted || text[end] != '\n'); ++end)
            quoted ^= text[end] == '"';
        std::string_view record = text.substr(0, end);
        if (record.ends_with('\r')) record.remove_suffix(1);
        const bool is_last = end >= text.size();
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!record.empty()) use(record, is_last);
    }
}

/// Which column of a table is the steps. Its rows are looked at only where several may be.
StepAxis csv_axis(std::string_view text, const std::string& step_column, const std::string& run,
                  const std::vector<std::string>& asked) {
    StepAxis axis(step_column);
    std::vector<std::string> heads;
    std::vector<size_t> places;
    for_each_record(text, [&](std::string_view record, bool) {
        if (!heads.empty() && places.size() < 2) return axis.end_row();
        const std::vector<std::string> cells = csv_cells(record);
        if (heads.empty()) {
            heads = heads_of_run(cells, run, asked);
            for (size_t c = 0; c < heads.size(); ++c) {
                if (!axis.may_be(heads[c])) continue;
                axis.see(heads[c], std::nullopt);
                places.push_back(c);
            }
        } else if (cells.size() == heads.size()) {
            for (const size_t place : places) axis.see(heads[place], step_in(cells[place]));
            axis.end_row();
        }
    });
    return axis;
}

/// Makes a log of a table's records, the first of which is its head.
class CsvLog {
  public:
    /// `run` of several and `asked`, as of heads_of_run().
    CsvLog(StepAxis axis, std::string run, std::vector<std::string> asked)
        : axis_(std::move(axis)), run_(std::move(run)), asked_(std::move(asked)) {}

    /// `is_last`: nothing ends the record, so that it may have been cut short.
    void take(std::string_view record, bool is_last) {
        const std::vector<std::string> cells = csv_cells(record);
        if (heads_.empty()) return take_head(cells);
        ++row_;
        if (cells.size() == heads_.size()) return take_row(cells);
        if (!is_last || row_ == 1)
            throw UserError(fmt::format("row {} of the table has {} places, its head {}", row_,
                                        cells.size(), heads_.size()),
                            "give a table of one head and rows of equal length");
        log_.notes.push_back(fmt::format("row {}, the last, is cut short and left out", row_--));
    }

    /// UserError for a table without any step.
    ForeignLog finish() {
        tell_rows_without_step(log_, no_steps_, row_);
        axis_.tell(log_);
        for (size_t c = 0; c < heads_.size(); ++c)
            if (no_numbers_[c].count() > 0 && log_.scalars.contains(heads_[c]))
                log_.notes.push_back(fmt::format(
                    "{} places of {} hold no number and are left out, first {}",
                    no_numbers_[c].count(), printable(heads_[c], 60), no_numbers_[c].first()));
        return std::move(log_);
    }

  private:
    void take_head(const std::vector<std::string>& cells) {
        heads_ = heads_of_run(cells, run_, asked_);
        if (const auto runs = runs_of_panel(cells); !runs.empty()) {
            log_.tool = "Weights & Biases";
            log_.name = runs.size() == 1 ? runs.front() : run_;
        }
        no_numbers_.resize(heads_.size());
        places_ = csv_places(heads_, axis_.taken());
    }

    void take_row(const std::vector<std::string>& cells) {
        const auto cell = [&](int place) { return cells[static_cast<size_t>(place)]; };
        const std::optional<int64_t> step =
            places_.step < 0 ? row_ : axis_.place(step_in(cell(places_.step)));
        if (!step) return no_steps_.add(place_text(cell(places_.step)));
        const double time = places_.time < 0 ? 0 : logged_number(cell(places_.time)).value_or(0);
        for (size_t c = 0; c < cells.size(); ++c) {
            const int place = static_cast<int>(c);
            if (place != places_.step && place != places_.time && heads_[c] != kCallCounter)
                take_number(c, cells[c], *step, time);
        }
    }

    void take_number(size_t column, const std::string& cell, int64_t step, double time) {
        if (heads_[column].empty() || cell.empty()) return;
        if (const auto value = logged_number(cell))
            log_.add(heads_[column], {step, time, *value});
        else
            no_numbers_[column].add(place_text(cell));
    }

    std::string place_text(const std::string& cell) const {
        return fmt::format("row {} (\"{}\")", row_, printable(cell, 40));
    }

    StepAxis axis_;
    std::string run_;
    std::vector<std::string> asked_;
    ForeignLog log_{.tool = "CSV", .in_one_order = true};
    std::vector<std::string> heads_;
    CsvPlaces places_;
    std::vector<Omissions> no_numbers_;  ///< by column
    Omissions no_steps_;
    int64_t row_ = 0;
};

ForeignLog read_plain_csv(std::string_view text) {
    return read_csv_log(text);
}

ForeignLog read_plain_jsonl(std::string_view text) {
    return read_jsonl_log(text);
}

ForeignLog read_plain_trainer_state(std::string_view text) {
    return read_trainer_state(text);
}

}  // namespace

constexpr std::string_view kNanoGptTokens = "tokens per iteration will be: ";

ForeignLog read_nanogpt_log(std::string_view text) {
    ForeignLog log{"nanoGPT", {}};
    log.in_one_order = true;
    double seconds = 0;
    int64_t timed = -1;  // the iteration that the seconds reach to
    for_each_line(text, [&](std::string_view line) {
        if (line.starts_with(kNanoGptTokens))
            log.tokens_per_step =
                step_in(without_commas(line.substr(kNanoGptTokens.size()))).value_or(0);
        const bool evaluates = line.starts_with("step "), trains = line.starts_with("iter ");
        if (!evaluates && !trains) return;
        const std::optional<int64_t> step = step_in(line.substr(5, line.find(':') - 5));
        if (!step) return;
        if (trains) {
            const int64_t done = *step + 1;  // it prints the loss of the batch, then makes the step
            add_if(log, "train/loss", done, value_after(line, ": loss ", ","));
            const std::optional<double> ms = value_after(line, "time ", "m,");
            add_if(log, "train/step_ms", done, ms);
            if (*step <= timed) {  // taken up again
                seconds = 0;
                timed = -1;
            }
            if (ms && std::isfinite(*ms)) {
                seconds += *ms / 1000 * static_cast<double>(*step - timed);
                timed = *step;
                log.add("train/seconds", {done, 0, seconds});
            }
            add_if(log, "train/mfu_percent", done, value_after(line, "mfu ", "%,"));
        } else {
            add_if(log, "eval/train_loss", *step, value_after(line, "train loss ", ","));
            add_if(log, "val/loss", *step, value_after(line, "val loss ", ","));
        }
    });
    return log;
}

ForeignLog read_llmc_log(std::string_view text) {
    ForeignLog log{"llm.c", {}};
    log.in_one_order = true;
    for_each_line(text, [&](std::string_view line) {
        if (!line.starts_with("s:")) return;
        const std::optional<int64_t> step = step_in(line.substr(2, line.find(' ') - 2));
        if (!step) return;
        add_if(log, "train/loss", *step + 1, value_after(line, " trl:", " "));
        add_if(log, "train/lr", *step + 1, value_after(line, " lr:", " "));
        add_if(log, "train/grad_norm", *step + 1, value_after(line, " norm:", " "));
        add_if(log, "val/loss", *step, value_after(line, " tel:", " "));
        add_if(log, "hellaswag", *step, value_after(line, " eval:", " "));
    });
    return log;
}

ForeignLog read_modded_nanogpt_log(std::string_view text) {
    ForeignLog log{"modded-nanogpt", {}};
    log.in_one_order = true;
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

std::vector<std::string> runs_of_csv(std::string_view text) {
    std::vector<std::string> runs;
    bool is_head = true;
    for_each_record(text, [&](std::string_view record, bool) {
        if (std::exchange(is_head, false)) runs = runs_of_panel(csv_cells(record));
    });
    return runs;
}

ForeignLog read_csv_log(std::string_view text, const std::string& step_column,
                        const std::string& run, std::vector<std::string> asked) {
    asked.push_back(step_column);
    CsvLog log(csv_axis(text, step_column, run, asked), run, asked);
    for_each_record(text,
                    [&](std::string_view record, bool is_last) { log.take(record, is_last); });
    return log.finish();
}

ForeignLog read_headroom_csv(std::string_view text) {
    ForeignLog log{"headroom", {}};
    std::vector<std::string> names;  // of the columns; "": passed over
    std::optional<size_t> step_place;
    bool begins = true;
    int64_t row = 0;
    const auto take_head = [&](const std::vector<std::string>& heads) {
        names.clear();
        step_place.reset();
        for (const std::string& head : heads) {
            if (head.ends_with("/step")) step_place = names.size();
            names.push_back(head.ends_with("/step") || head.ends_with("_hash") ? "" : head);
            constexpr std::string_view kScalars = "scalars/", kValue = "/value";
            if (head.starts_with(kScalars) && head.ends_with(kValue))
                names.back() =
                    head.substr(kScalars.size(), head.size() - kScalars.size() - kValue.size());
        }
    };
    for_each_line(text, [&](std::string_view line) {
        ++row;
        if (line.empty()) return void(begins = true);
        const std::vector<std::string> cells = csv_cells(line);
        if (std::exchange(begins, false)) return take_head(cells);
        if (!step_place) return;
        const auto step = cells.size() == names.size() ? step_in(cells[*step_place]) : std::nullopt;
        if (!step)
            throw UserError(fmt::format("line {} is no row of its table", row),
                            "export the log again");
        for (size_t c = 0; c < cells.size(); ++c)
            if (const auto value = logged_number(cells[c]); value && !names[c].empty())
                log.add(names[c], {*step, 0, *value});
    });
    return log;
}

const std::vector<TextLogFormat>& text_log_formats() {
    static const std::vector<TextLogFormat> formats{{"nanogpt", read_nanogpt_log},
                                                    {"llm.c", read_llmc_log},
                                                    {"modded-nanogpt", read_modded_nanogpt_log},
                                                    {"headroom-csv", read_headroom_csv},
                                                    {"csv", read_plain_csv},
                                                    {"jsonl", read_plain_jsonl},
                                                    {"trainer-state", read_plain_trainer_state}};
    return formats;
}

std::optional<TextLogFormat> recognise_text_log(std::string_view text) {
    text = without_byte_order_mark(text);
    const auto by_name = [](const char* name) {
        const auto& all = text_log_formats();
        return *std::find_if(all.begin(), all.end(),
                             [&](const TextLogFormat& format) { return format.name == name; });
    };
    if (const size_t first = text.find_first_not_of(" \t\r\n");
        first != std::string_view::npos && text[first] == '{')
        return by_name(is_trainer_state(text) ? "trainer-state" : "jsonl");
    for (const char* name : {"nanogpt", "llm.c", "modded-nanogpt"})
        if (!by_name(name).read(text).scalars.empty()) return by_name(name);
    const std::string_view head = text.substr(0, std::min(text.find('\n'), text.size()));
    if (head.starts_with("train/step,")) return by_name("headroom-csv");
    if (head.find(',') != std::string_view::npos) return by_name("csv");
    return std::nullopt;
}

}  // namespace headroom
