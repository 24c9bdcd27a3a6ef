#pragma once

#include <string>
#include <vector>

namespace headroom {

/// A cell's text for LaTeX: characters that it would take for commands are escaped, and signs that
/// a font may lack (±, −, ·) are mathematics. A line break becomes a blank.
std::string latex_text(const std::string& text);

/// A text for Markdown that shows all of its characters, also in a cell of a table. A line break
/// becomes a blank.
std::string markdown_text(const std::string& text);

/// A cell for a person, its parts apart so that a format can put them together.
struct PrintedCell {
    std::string text;  ///< "2.7287 ± 0.0163", "" where there is no number
    bool strong = false;
};

/// A table of text before it has a format.
struct PrintedTable {
    struct Column {
        std::string head;
        bool is_number = true;  ///< set to the right
    };
    std::vector<Column> columns;
    std::vector<std::vector<PrintedCell>> rows;  ///< a cell for each column
    std::vector<std::string> notes;              ///< what stands below it
};

std::string markdown_table(const PrintedTable& table);
/// A tabular with booktabs, compiled by LaTeX with \usepackage{booktabs}; the notes are comments.
std::string latex_table(const PrintedTable& table);

}  // namespace headroom
