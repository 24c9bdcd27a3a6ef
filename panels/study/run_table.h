#pragma once

#include <optional>
#include <string>
#include <vector>

#include "panels/study/run_facts.h"

namespace headroom {

struct RunTableSettings {
    std::vector<std::string> columns = {};  ///< empty: usual_columns() and the keys that differ
    bool only_differing = false;            ///< leave out columns that are equal in all rows
    std::string filter = {};                ///< as RunFilter reads it
    std::string sort_by = {};               ///< a column; "" = the study's order
    bool descending = false;
    std::string group_by = {};  ///< a column, "group" for variants; "" = a row for each run
};

/// What a table shows unless told otherwise, beside the keys that differ.
const std::vector<std::string>& usual_columns();

struct RunTableCell {
    std::string text;              ///< "2.7400 ± 0.0154" of a group
    std::optional<double> number;  ///< of a group the mean
    std::optional<double> spread;  ///< of a group the sample's standard deviation
    std::optional<int> n{};        ///< of a mean over fewer runs than the row's
    std::string whole{};           ///< what `text` is short for; "" where that is all

    const std::string& identity() const { return whole.empty() ? text : whole; }
};

/// One run, or a group of them.
struct RunTableRow {
    std::vector<std::string> ids;
    int color = 0, shade = 0;
    int n = 1;  ///< runs that count: a repeated seed counts once
    std::vector<RunTableCell> cells;
};

struct RunTable {
    std::vector<std::string> columns;  ///< full names
    std::vector<RunTableRow> rows;
    size_t filtered = 0;   ///< runs that the filter hides
    bool grouped = false;  ///< rows are of runs with an equal value
};

/// `settings` without what the runs do not have, such as a column that was chosen for another
/// study, or a filter that cannot be understood; `problems` says what was left out, a line each.
RunTableSettings understood(const RunFacts& facts, RunTableSettings settings,
                            std::vector<std::string>& problems);

/// The study as a table. UserError for a filter or a column that cannot be understood. Rows without
/// a value come last, however they are sorted.
RunTable build_run_table(const RunFacts& facts, const RunTableSettings& settings);

/// The table for other programs: RFC 4180; numbers in full, of groups with their deviations and n;
/// a column "NAME n" stands beside one whose means are of fewer runs.
std::string run_table_csv(const RunTable& table);

}  // namespace headroom
