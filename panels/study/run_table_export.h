#pragma once

#include <string>

#include "panels/study/run_table.h"

namespace headroom {

/// The table with the texts that people read, as a Markdown table. Groups have their n at the end.
std::string run_table_markdown(const RunTable& table);

/// The same as a tabular for \usepackage{booktabs}, numbers to the right. Every character that
/// LaTeX would take for a command is escaped.
std::string run_table_latex(const RunTable& table);

}  // namespace headroom
