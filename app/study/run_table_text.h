#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "panels/study/run_table.h"

namespace headroom {

/// For people: a header line, a line for each row, how many runs the filter hides.
std::string run_table_text(const RunTable& table);

/// For programs: {"columns", "filtered", "rows": [{"runs", "n", "values": {column: number, text or
/// null}, "sd": {column: number}}]}.
nlohmann::ordered_json run_table_json(const RunTable& table);

}  // namespace headroom
