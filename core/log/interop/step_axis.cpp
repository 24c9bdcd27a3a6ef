#include "core/log/interop/step_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"

namespace headroom {

const std::vector<std::string>& step_names() {
    static const std::vector<std::string> names{"train/global_step",
                                                "trainer/global_step",
                                                "global_step",
                                                "step",
                                                "iter",
                                                "iteration",
                                                "Step",
                                                kCallCounter};
    return names;
}

bool is_time_name(const std::string& name) {
    return name == "_timestamp" || name == "wall_time" || name == "Wall time";
}

std::optional<int64_t> step_of(std::optional<double> value) {
    if (!value || !(*value >= 0) || *value > static_cast<double>(kMostForeignSteps) ||
        *value != std::floor(*value))
        return std::nullopt;
    return static_cast<int64_t>(*value);
}

void tell_rows_without_step(ForeignLog& log, const Omissions& rows, int64_t all) {
    constexpr const char* kNeeded = "a step that is a whole number from 0 on";
    if (rows.count() == 0) return;
    if (rows.count() == all)
        throw UserError(fmt::format("no row has {}: {}", kNeeded, rows.first()),
                        "name the column of steps step, and give whole numbers");
    log.notes.push_back(fmt::format("{} rows without {} are left out, first {}", rows.count(),
                                    kNeeded, rows.first()));
}

bool StepAxis::may_be(const std::string& column) const {
    if (!asked_.empty()) return column == asked_ || column == kCallCounter;
    const std::vector<std::string>& names = step_names();
    return std::find(names.begin(), names.end(), column) != names.end();
}

void StepAxis::see(const std::string& column, std::optional<int64_t> step) {
    Seen& seen = seen_[column];
    if (!step) return;
    if (seen.steps++ == 0) seen.first = *step;
    seen.begins_anew = seen.begins_anew || (*step <= seen.first && seen.last > seen.first);
    seen.last = *step;
}

std::string StepAxis::taken() const {
    if (!asked_.empty()) return asked_;
    std::string most;
    for (const std::string& name : step_names()) {
        const auto seen = seen_.find(name);
        if (seen == seen_.end()) continue;
        if (2 * seen->second.steps > rows_ && !seen->second.begins_anew) return name;
        if (most.empty() || seen->second.steps > seen_.at(most).steps) most = name;
    }
    if (most.empty()) return most;
    const int64_t steps = seen_.at(most).steps;
    return steps > 0 && 10 * steps < rows_ ? "" : most;
}

std::optional<int64_t> StepAxis::place(std::optional<int64_t> step) {
    if (step) {
        last_ = *step;
    } else if (seen_.contains(kCallCounter) && taken() != kCallCounter) {
        ++placed_;
        return last_;
    }
    return step;
}

bool StepAxis::stands_in(const std::string& column) {
    const std::vector<std::string>& names = step_names();
    return column != kCallCounter && std::find(names.begin(), names.end(), column) != names.end();
}

void StepAxis::tell(ForeignLog& log) const {
    const std::string column = taken();
    if (column.empty()) {
        if (rows_ > 0)
            log.notes.push_back(
                fmt::format("rows are counted from 1, as no column of steps is called {}",
                            fmt::join(step_names(), ", ")));
        return;
    }
    std::vector<std::string> others;
    for (const auto& [name, seen] : seen_)
        if (name != column && name != kCallCounter) others.push_back(printable(name, 60));
    if (column != kCallCounter && seen_.contains(kCallCounter))
        others.emplace_back("_step, which counts calls of log()");
    if (!others.empty())
        log.notes.push_back(fmt::format("steps are those of {}, not of {}", printable(column, 60),
                                        fmt::join(others, " or ")));
    if (placed_ > 0)
        log.notes.push_back(fmt::format("rows without {} stand at the step of the row before: {}",
                                        printable(column, 60), placed_));
}

void LoggedRows::take(int64_t line, double time,
                      const std::vector<std::pair<std::string, double>>& numbers) {
    Row row{line, time, {}};
    row.numbers.reserve(numbers.size());
    for (const auto& [name, value] : numbers) {
        const auto [known, is_new] =
            places_.try_emplace(name, static_cast<uint32_t>(names_.size()));
        if (is_new) names_.push_back(name);
        row.numbers.emplace_back(known->second, value);
        if (axis_.may_be(name)) axis_.see(name, step_of(value));
    }
    axis_.end_row();
    rows_.push_back(std::move(row));
}

void LoggedRows::put_into(ForeignLog& log) {
    const std::string column = axis_.taken();
    if (!axis_.has_asked())
        throw UserError(fmt::format("the log has no column {}{}", printable(column, 60),
                                    suggestion(column, names_)),
                        "name one that it has");
    Omissions no_steps;
    for (const Row& row : rows_) {
        std::optional<int64_t> step, other;
        for (const auto& [place, value] : row.numbers) {
            if (names_[place] == column) step = step_of(value);
            if (!other && StepAxis::stands_in(names_[place])) other = step_of(value);
        }
        if (!step && !axis_.is_asked()) step = other;
        step = column.empty() ? row.line : axis_.place(step);
        if (!step) {
            no_steps.add(fmt::format("line {}", row.line));
            continue;
        }
        for (const auto& [place, value] : row.numbers)
            if (names_[place] != column && names_[place] != kCallCounter)
                log.add(names_[place], {*step, row.time, value});
    }
    tell_rows_without_step(log, no_steps, static_cast<int64_t>(rows_.size()));
    axis_.tell(log);
}

}  // namespace headroom
