#include "panels/study/run_table_export.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/study/table_markup.h"

namespace headroom {
namespace {

using Line = std::vector<std::string>;

/// Heads, then the rows.
std::vector<Line> lines_of(const RunTable& table) {
    const bool grouped = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const RunTableRow& row) { return row.ids.size() > 1; });
    std::vector<Line> lines{table.columns};
    for (const RunTableRow& row : table.rows) {
        lines.emplace_back();
        for (const RunTableCell& cell : row.cells) lines.back().push_back(cell.text);
        if (grouped) lines.back().push_back(fmt::to_string(row.n));
    }
    if (grouped) lines.front().emplace_back("n");
    return lines;
}

bool is_number_column(const RunTable& table, size_t column) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const RunTableRow& row) {
        return column >= row.cells.size() || row.cells[column].number.has_value();
    });
}

std::string joined(const Line& line, const char* between,
                   const std::function<std::string(const std::string&)>& escape) {
    Line cells;
    for (const std::string& cell : line) cells.push_back(escape(cell));
    return fmt::format("{}", fmt::join(cells, between));
}

}  // namespace

std::string run_table_markdown(const RunTable& table) {
    const std::vector<Line> lines = lines_of(table);
    std::string text = "| " + joined(lines[0], " | ", markdown_text) + " |\n|";
    for (size_t c = 0; c < lines[0].size(); ++c)
        text += is_number_column(table, c) ? " ---: |" : " --- |";
    text.push_back('\n');
    for (size_t i = 1; i < lines.size(); ++i)
        text += "| " + joined(lines[i], " | ", markdown_text) + " |\n";
    return text;
}

std::string run_table_latex(const RunTable& table) {
    const std::vector<Line> lines = lines_of(table);
    std::string text = "\\begin{tabular}{";
    for (size_t c = 0; c < lines[0].size(); ++c) text += is_number_column(table, c) ? 'r' : 'l';
    text += "}\n\\toprule\n" + joined(lines[0], " & ", latex_text) + " \\\\\n\\midrule\n";
    for (size_t i = 1; i < lines.size(); ++i)
        text += joined(lines[i], " & ", latex_text) + " \\\\\n";
    return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace headroom
