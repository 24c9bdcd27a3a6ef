#include "app/study/result_table_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/study/measure.h"
#include "panels/base/number_format.h"
#include "panels/study/csv_field.h"

namespace headroom {
namespace {

/// Losses to four decimals: the differences of this field are in the third.
std::string decimal(double value) {
    return std::abs(value) < 1e5 ? fmt::format("{:.4f}", value) : fmt::format("{:.6g}", value);
}

std::string count(double value) {
    return value == std::round(value) && std::abs(value) < 1e15
               ? format_integer(static_cast<int64_t>(value))
               : fmt::format("{:.6g}", value);
}

std::string signed_decimal(double value) {
    return (value < 0 ? "−" : "+") + decimal(std::abs(value));
}

std::string value_text(const ResultCell& cell, const ResultColumn& column) {
    if (!cell.mean) return "";
    if (column.is_published()) return fmt::format("{:.3f}", *cell.mean);
    if (column.exact) return count(*cell.mean);
    if (!cell.deviation) return decimal(*cell.mean);
    return fmt::format("{} ± {}", decimal(*cell.mean), decimal(*cell.deviation));
}

std::string difference_text(const ResultCell& cell, bool is_baseline) {
    if (is_baseline) return "baseline";
    if (!cell.difference) return "";
    if (!cell.interval) return signed_decimal(*cell.difference);
    return fmt::format("{} [{}, {}]", signed_decimal(*cell.difference),
                       signed_decimal(cell.interval->low), signed_decimal(cell.interval->high));
}

std::string p_text(const std::optional<double>& p) {
    if (!p) return "";
    return *p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", *p);
}

/// "12" where every measure has so many runs, else the numbers of each: "3, 2".
std::string runs_text(const ResultTable& table, const ResultRow& row) {
    std::vector<std::string> counts;
    for (size_t c = 0; c < row.cells.size(); ++c)
        if (!table.columns[c].exact) counts.push_back(std::to_string(row.cells[c].n));
    if (counts.empty()) return "";
    if (std::equal(counts.begin() + 1, counts.end(), counts.begin())) return counts.front();
    std::string text;
    for (const std::string& each : counts) text += (text.empty() ? "" : ", ") + each;
    return text;
}

std::string head_of(const std::string& measure) {
    static const std::map<std::string, const char*> heads{{"final", "Validation loss"},
                                                          {"best", "Best validation loss"},
                                                          {"perplexity", "Perplexity"}};
    const auto known = heads.find(measure);
    if (known != heads.end()) return known->second;
    if (const ExactMeasure* exact = find_exact_measure(measure)) return std::string(exact->title);
    constexpr std::string_view kScalars = "scalars/";
    return measure.starts_with(kScalars) ? measure.substr(kScalars.size()) : measure;
}

/// `measure` as it is called there, behind the source of published values; those of the usual
/// measure need no name.
std::string column_name(const ResultColumn& column, const char* published,
                        const std::string& measure) {
    if (!column.is_published()) return measure;
    return published + column.source + (column.name == "final" ? "" : ", " + measure);
}

bool any_bold(const ResultTable& table) {
    for (const ResultRow& row : table.rows)
        for (const ResultCell& cell : row.cells)
            if (cell.best) return true;
    return false;
}

int runs_of_baseline(const ResultTable& table, size_t column) {
    for (const ResultRow& row : table.rows)
        if (row.is_baseline) return row.cells[column].n;
    return 0;
}

/// What stands below: the baseline, what bold means, what was left out.
std::vector<std::string> notes_of(const ResultTable& table) {
    std::vector<std::string> notes{fmt::format(
        "Mean ± sample deviation over n seeds; differences to {} of pairs of runs that saw the "
        "same batches, with 95 % intervals and Holm's p of the paired t test. {}",
        table.baseline,
        any_bold(table) ? "Bold: the least loss, or the greatest accuracy, of those with several "
                          "seeds and what that test does not tell from it at 0.05."
                        : "Nothing is bold: that test tells no two of them apart at 0.05.")};
    for (const ResultRow& row : table.rows)
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const ResultCell& cell = row.cells[c];
            if (cell.difference && cell.pairs != cell.n)
                notes.push_back(fmt::format("{}, {}: {} of {} runs have a partner", row.name,
                                            table.columns[c].name, cell.pairs, cell.n));
            const int of_baseline = runs_of_baseline(table, c);
            if (cell.difference && cell.pairs < of_baseline)
                notes.push_back(fmt::format(
                    "{}, {}: the difference is over {} pair{}, the mean of {} over {} runs",
                    row.name, table.columns[c].name, cell.pairs, cell.pairs == 1 ? "" : "s",
                    table.baseline, of_baseline));
        }
    if (!table.notes.empty())
        notes.push_back(fmt::format("Left out: {}", fmt::join(table.notes, "; ")));
    return notes;
}

}  // namespace

PrintedTable printed_table(const ResultTable& table) {
    PrintedTable text;
    text.columns = {{"Variant", false}, {"n", true}};
    for (const ResultColumn& column : table.columns) {
        text.columns.push_back({column_name(column, "Published: ", head_of(column.name)), true});
        if (column.exact) continue;
        text.columns.push_back({"Difference [95 %]", true});
        text.columns.push_back({"p (Holm)", true});
    }
    for (const ResultRow& row : table.rows) {
        text.rows.push_back({{row.name, false}, {runs_text(table, row), false}});
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const ResultCell& cell = row.cells[c];
            text.rows.back().push_back({value_text(cell, table.columns[c]), cell.best});
            if (table.columns[c].exact) continue;
            text.rows.back().push_back({difference_text(cell, row.is_baseline), false});
            text.rows.back().push_back({p_text(cell.p_holm), false});
        }
    }
    text.notes = notes_of(table);
    return text;
}

std::string csv_table(const ResultTable& table) {
    std::string text = "variant,baseline";
    for (const ResultColumn& column : table.columns) {
        text += "," + csv_field(column_name(column, "published ", column.name));
        if (column.exact) continue;
        for (const char* part :
             {"n", "sd", "pairs", "difference", "low", "high", "p", "p_holm", "best"})
            text += "," + csv_field(column.name + " " + part);
    }
    text += "\n";
    for (const ResultRow& row : table.rows) {
        text += fmt::format("{},{}", csv_field(row.name), row.is_baseline ? 1 : 0);
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const ResultCell& cell = row.cells[c];
            text += "," + csv_field(cell.mean);
            if (table.columns[c].exact) continue;
            const auto& interval = cell.interval;
            text += fmt::format(",{},{},{},{},{},{},{},{},{}", cell.n, csv_field(cell.deviation),
                                cell.pairs, csv_field(cell.difference),
                                interval ? csv_field(interval->low) : "",
                                interval ? csv_field(interval->high) : "", csv_field(cell.p),
                                csv_field(cell.p_holm), cell.best ? 1 : 0);
        }
        text += "\n";
    }
    return text;
}

}  // namespace headroom
