#include "panels/study/run_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/stats/paired_test.h"
#include "panels/base/number_format.h"
#include "panels/study/csv_field.h"
#include "panels/study/job_difference.h"
#include "panels/study/run_filter.h"

namespace headroom {
namespace {

using Runs = std::vector<RunPointer>;

std::vector<std::string> columns_of(const RunFacts& facts, const Runs& runs,
                                    const RunTableSettings& settings) {
    std::vector<std::string> columns;
    const std::string group = settings.group_by.empty() ? "" : facts.find_column(settings.group_by);
    for (const std::string& word : settings.columns) columns.push_back(facts.find_column(word));
    if (!columns.empty()) {  // what the rows are of stands in them
        const bool names_groups =
            group.empty() || std::find(columns.begin(), columns.end(), group) != columns.end();
        if (!names_groups) columns.insert(columns.begin(), group);
        return columns;
    }
    columns = usual_columns();
    if (!group.empty()) columns.front() = group;
    for (const std::string& key : facts.differing_keys(runs))
        if (key != columns.front()) columns.push_back(key);
    return columns;
}

/// Runs of one row together, in the order of their first ones.
std::vector<Runs> rows_of(const RunFacts& facts, const Runs& runs, const std::string& group_by) {
    std::vector<Runs> rows;
    std::map<std::string, size_t> places;
    const std::string column = group_by.empty() ? "" : facts.find_column(group_by);
    for (const RunPointer& run : runs) {
        const std::string key = column.empty() ? run->id : facts.group_identity(*run, column);
        const auto [place, is_new] = places.try_emplace(key, rows.size());
        if (is_new) rows.emplace_back();
        rows[place->second].push_back(run);
    }
    return rows;
}

/// As the column's single numbers are written: four decimals of losses, six digits of others.
std::string mean_text(const std::string& column, const SampleMoments& moments) {
    const auto number = [&](double value) {
        if (column == "tokens_per_second") return format_count(std::round(value));
        return column.ends_with("loss") ? fmt::format("{:.4f}", value)
                                        : fmt::format("{:.6g}", value);
    };
    if (!moments.deviation) return number(moments.mean);
    return fmt::format("{} ± {}", number(moments.mean), number(*moments.deviation));
}

/// Whether the column says what training has come to so far: a loss, or a logged series.
bool is_of_training(const std::string& column) {
    return column.ends_with("loss") || column.find('/') != std::string::npos;
}

/// The runs whose number of such a column makes a mean of equal things: those that have finished;
/// where none has, those that all stand at one step. One that diverged has no final loss.
Runs comparable(const Runs& runs, const std::string& column) {
    if (!is_of_training(column)) return runs;
    Runs finished, others;
    std::set<int64_t> steps;
    for (const RunPointer& run : runs) {
        if (run->status.phase == RunPhase::kDiverged && column.ends_with("loss")) continue;
        (run->status.phase == RunPhase::kFinished ? finished : others).push_back(run);
        steps.insert(run->status.step);
    }
    if (!finished.empty()) return finished;
    return steps.size() == 1 ? others : Runs();
}

/// The mean of numbers that differ, or the text that all share, or an ellipsis.
RunTableCell group_cell(const RunFacts& facts, const Runs& runs, const std::string& column) {
    std::vector<RunValue> values;
    for (const RunPointer& run : runs) values.push_back(facts.value(*run, column));
    const std::string place = facts.group_identity(*runs.front(), column);
    const bool equal =
        runs.size() == 1 || std::all_of(runs.begin(), runs.end(), [&](const RunPointer& run) {
            return facts.group_identity(*run, column) == place &&
                   facts.value(*run, column).text == values.front().text;
        });
    if (equal) return {values.front().text, values.front().number, {}, {}, values.front().whole};
    std::vector<double> numbers;
    for (const RunPointer& run : comparable(runs, column))
        if (const auto number = facts.value(*run, column).number; number && std::isfinite(*number))
            numbers.push_back(*number);
    if (numbers.empty() || column == "seed") return {"…", {}, {}};
    const SampleMoments moments = moments_of(numbers);
    std::string text = mean_text(column, moments);
    RunTableCell cell{std::move(text), moments.mean, moments.deviation};
    if (numbers.size() < values.size()) {  // some diverged, still train or have no number
        cell.text += fmt::format(" ({} of {})", numbers.size(), values.size());
        cell.n = static_cast<int>(numbers.size());
    }
    return cell;
}

RunTableRow make_row(const RunFacts& facts, const Runs& runs,
                     const std::vector<std::string>& columns) {
    RunTableRow row;
    Runs counted;
    for (const RunPointer& run : runs) {
        row.ids.push_back(run->id);
        if (!run->repeats) counted.push_back(run);
    }
    if (counted.empty()) counted = runs;
    row.n = static_cast<int>(counted.size());
    row.color = runs.front()->color;
    row.shade = runs.size() == 1 ? runs.front()->shade : 0;
    for (const std::string& column : columns)
        row.cells.push_back(group_cell(facts, counted, column));
    return row;
}

/// Numbers by size, text by letters; the empty last.
bool comes_before(const RunTableCell& a, const RunTableCell& b, bool descending) {
    if (a.text.empty() || b.text.empty()) return !a.text.empty() && b.text.empty();
    if (a.number && b.number) return descending ? *a.number > *b.number : *a.number < *b.number;
    return descending ? a.text > b.text : a.text < b.text;
}

void sort_rows(RunTable& table, const std::vector<RunTableCell>& keys, bool descending) {
    std::vector<size_t> order(table.rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return comes_before(keys[a], keys[b], descending);
    });
    std::vector<RunTableRow> sorted;
    for (const size_t i : order) sorted.push_back(std::move(table.rows[i]));
    table.rows = std::move(sorted);
}

void drop_equal_columns(RunTable& table) {
    for (size_t c = table.columns.size(); c-- > 0;) {
        const bool equal =
            std::all_of(table.rows.begin(), table.rows.end(), [&](const RunTableRow& row) {
                return row.cells[c].identity() == table.rows.front().cells[c].identity();
            });
        if (!equal || table.rows.size() < 2) continue;
        table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
        for (RunTableRow& row : table.rows)
            row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(c));
    }
}

/// Short texts that would stand for different values become longer.
void tell_apart(RunTable& table) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
        std::vector<std::string> texts, wholes;
        for (const RunTableRow& row : table.rows) {
            texts.push_back(row.cells[c].text);
            wholes.push_back(row.cells[c].identity());
        }
        texts = told_apart(std::move(texts), wholes);
        for (size_t r = 0; r < table.rows.size(); ++r) {
            RunTableCell& cell = table.rows[r].cells[c];
            if (cell.text == texts[r]) continue;
            cell.whole = wholes[r];
            cell.text = texts[r];
        }
    }
}

/// Whether there is such a column; what is wrong with it otherwise.
bool is_known(const RunFacts& facts, const std::string& column,
              std::vector<std::string>& problems) {
    try {
        facts.find_column(column);
        return true;
    } catch (const UserError&) {
        problems.push_back("no run here has " + column);
        return false;
    }
}

}  // namespace

RunTableSettings understood(const RunFacts& facts, RunTableSettings settings,
                            std::vector<std::string>& problems) {
    std::erase_if(settings.columns,
                  [&](const std::string& column) { return !is_known(facts, column, problems); });
    for (std::string* column : {&settings.group_by, &settings.sort_by})
        if (!column->empty() && !is_known(facts, *column, problems)) column->clear();
    try {
        RunFilter::parse(settings.filter, facts);
    } catch (const UserError& error) {
        problems.push_back(std::string(error.what()) + " (all runs are shown)");
        settings.filter.clear();
    }
    return settings;
}

const std::vector<std::string>& usual_columns() {
    static const std::vector<std::string> columns{"name",
                                                  "seed",
                                                  "state",
                                                  "step",
                                                  "val_loss",
                                                  "best_val_loss",
                                                  "tokens_per_second",
                                                  "params",
                                                  "kv_bytes_per_token"};
    return columns;
}

RunTable build_run_table(const RunFacts& facts, const RunTableSettings& settings) {
    const Runs runs = RunFilter::parse(settings.filter, facts).apply(facts);
    RunTable table;
    table.filtered = facts.runs().size() - runs.size();
    table.grouped = !settings.group_by.empty();
    table.columns = columns_of(facts, runs, settings);
    std::vector<RunTableCell> keys;
    const std::string sort_by = settings.sort_by.empty() ? "" : facts.find_column(settings.sort_by);
    for (const Runs& row : rows_of(facts, runs, settings.group_by)) {
        table.rows.push_back(make_row(facts, row, table.columns));
        if (!sort_by.empty()) keys.push_back(make_row(facts, row, {sort_by}).cells.front());
    }
    if (!sort_by.empty()) sort_rows(table, keys, settings.descending);
    if (settings.only_differing) drop_equal_columns(table);
    tell_apart(table);
    return table;
}

std::string run_table_csv(const RunTable& table) {
    const bool grouped = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const RunTableRow& row) { return row.ids.size() > 1; });
    std::vector<bool> spread(table.columns.size(), false), fewer = spread;
    for (const RunTableRow& row : table.rows)
        for (size_t c = 0; c < row.cells.size(); ++c) {
            if (row.cells[c].spread) spread[c] = true;
            if (row.cells[c].n) fewer[c] = true;
        }
    std::string text = fmt::format("{}", grouped ? "runs,n" : "run");
    const auto is_first = [&](size_t c) { return !grouped && table.columns[c] == "run"; };
    for (size_t c = 0; c < table.columns.size(); ++c) {
        if (is_first(c)) continue;
        text += fmt::format(",{}", csv_field(table.columns[c]));
        if (spread[c]) text += fmt::format(",{}", csv_field(table.columns[c] + " sd"));
        if (fewer[c]) text += fmt::format(",{}", csv_field(table.columns[c] + " n"));
    }
    text.push_back('\n');
    for (const RunTableRow& row : table.rows) {
        text += csv_field(fmt::format("{}", fmt::join(row.ids, " ")));
        if (grouped) text += fmt::format(",{}", row.n);
        for (size_t c = 0; c < row.cells.size(); ++c) {
            if (is_first(c)) continue;
            const RunTableCell& cell = row.cells[c];
            text += fmt::format(
                ",{}", cell.number ? fmt::format("{}", *cell.number) : csv_field(cell.identity()));
            if (spread[c])
                text += fmt::format(",{}", cell.spread ? fmt::format("{}", *cell.spread) : "");
            if (fewer[c]) text += fmt::format(",{}", cell.number ? cell.n.value_or(row.n) : 0);
        }
        text.push_back('\n');
    }
    return text;
}

}  // namespace headroom
