#include "panels/study/run_table_export.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {
namespace {

bool is_number_column(const RunTable& table, size_t column) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const RunTableRow& row) {
        return row.cells[column].number.has_value();
    });
}

}  // namespace

PrintedTable printed_table(const RunTable& table) {
    PrintedTable text;
    for (size_t c = 0; c < table.columns.size(); ++c)
        text.columns.push_back({table.columns[c], is_number_column(table, c)});
    const bool grouped = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const RunTableRow& row) { return row.ids.size() > 1; });
    if (grouped) text.columns.push_back({"n", true});
    for (const RunTableRow& row : table.rows) {
        text.rows.emplace_back();
        for (const RunTableCell& cell : row.cells) text.rows.back().push_back({cell.text, false});
        if (grouped) text.rows.back().push_back({fmt::to_string(row.n), false});
    }
    return text;
}

}  // namespace headroom
