#include "panels/study/run_table_export.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string markdown_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '\\') out.push_back('\\');
        out.push_back(c == '\n' ? ' ' : c);
    }
    return out;
}

std::string latex_text(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        static constexpr std::string_view kPlusMinus = "±";
        if (text.compare(i, kPlusMinus.size(), kPlusMinus) == 0) {
            out += "$\\pm$";
            i += kPlusMinus.size() - 1;
            continue;
        }
        switch (const char c = text[i]) {
            case '&':
            case '%':
            case '$':
            case '#':
            case '_':
            case '{':
            case '}':
                out.push_back('\\');
                out.push_back(c);
                break;
            case '\\':
                out += "\\textbackslash{}";
                break;
            case '~':
                out += "\\textasciitilde{}";
                break;
            case '^':
                out += "\\textasciicircum{}";
                break;
            case '<':
            case '>':
                out += fmt::format("${}$", c);
                break;
            case '\n':
                out.push_back(' ');
                break;
            default:
                out.push_back(c);
        }
    }
    return out;
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
