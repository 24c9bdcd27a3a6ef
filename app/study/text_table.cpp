#include "app/study/text_table.h"

#include <algorithm>

#include "core/base/printable.h"
#include "core/base/utf8.h"

namespace headroom {

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::vector<std::string>> shown = rows;
    std::vector<size_t> widths(rows.front().size(), 0);
    for (auto& row : shown)
        for (size_t i = 0; i < row.size(); ++i) {
            row[i] = printable(row[i]);
            widths[i] = std::max(widths[i], count_characters(row[i]));
        }
    std::string text;
    for (const auto& row : shown) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - count_characters(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace headroom
