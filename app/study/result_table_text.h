#pragma once

#include <string>
#include <vector>

#include "panels/study/result_table.h"

namespace headroom {

/// A cell for a person, its parts apart so that a format can put them together.
struct TableText {
    std::string text;  ///< "2.7287 ± 0.0163", "" where there is no number
    bool strong = false;
};

/// Heads and rows as they are printed: the variant, then for each measure its mean ± deviation and,
/// but for what follows from the job, the difference to the baseline with p.
std::vector<std::string> table_heads(const ResultTable& table);
std::vector<std::vector<TableText>> table_texts(const ResultTable& table);
/// What stands below: the baseline, what bold means, what was left out.
std::vector<std::string> table_notes(const ResultTable& table);

std::string markdown_table(const ResultTable& table);
/// A tabular with booktabs, compiled by LaTeX with \usepackage{booktabs}; the notes are comments.
std::string latex_table(const ResultTable& table);
/// RFC 4180, every number in full; "" where there is none.
std::string csv_table(const ResultTable& table);

}  // namespace headroom
