#include "app/study/run_table_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/text_table.h"

namespace headroom {

std::string run_table_text(const RunTable& table) {
    const bool grouped = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const RunTableRow& row) { return row.ids.size() > 1; });
    std::vector<std::vector<std::string>> rows(1, table.columns);
    rows.front().insert(rows.front().begin(), grouped ? "N" : "RUN");
    for (const RunTableRow& row : table.rows) {
        rows.push_back({grouped ? std::to_string(row.n) : row.ids.front()});
        for (const RunTableCell& cell : row.cells)
            rows.back().push_back(cell.text.empty() ? "-" : cell.text);
    }
    std::string text = text_table(rows);
    if (table.filtered > 0)
        text += fmt::format("{} run{} hidden by the filter\n", table.filtered,
                            table.filtered == 1 ? " is" : "s are");
    return text;
}

nlohmann::ordered_json run_table_json(const RunTable& table) {
    using nlohmann::ordered_json;
    ordered_json document = {{"columns", table.columns}, {"filtered", table.filtered}};
    document["rows"] = ordered_json::array();
    for (const RunTableRow& row : table.rows) {
        ordered_json values = ordered_json::object(), spreads = values, counts = values;
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const RunTableCell& cell = row.cells[c];
            ordered_json& value = values[table.columns[c]];
            if (cell.number && std::isfinite(*cell.number))
                value = *cell.number;
            else if (!cell.text.empty())
                value = cell.text;
            if (cell.spread) spreads[table.columns[c]] = *cell.spread;
            if (cell.n) counts[table.columns[c]] = *cell.n;
        }
        document["rows"].push_back({{"runs", row.ids},
                                    {"n", row.n},
                                    {"values", values},
                                    {"sd", spreads},
                                    {"n_of", counts}});
    }
    return document;
}

}  // namespace headroom
