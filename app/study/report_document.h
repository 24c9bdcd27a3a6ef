#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "panels/study/table_markup.h"

namespace headroom {

/// A cell of a report's table.
struct ReportCell {
    std::string text;
    enum class Tone { kPlain, kStrong, kGood, kBad, kOpen } tone = Tone::kPlain;
};

/// A part of a report. Which members count follows from the kind.
struct ReportBlock {
    enum class Kind { kHeading, kText, kList, kTable, kPicture, kCode };
    Kind kind = Kind::kText;
    std::string text;                           ///< heading, text, code, a picture's caption
    std::vector<std::string> lines;             ///< of a list
    std::vector<PrintedTable::Column> columns;  ///< of a table
    std::vector<std::vector<ReportCell>> rows;
    std::filesystem::path picture;  ///< an SVG file
};

/// A report before it has a format: a title and what stands below it.
struct ReportDocument {
    std::string title;
    std::vector<ReportBlock> blocks;

    void heading(std::string text);
    void text(std::string text);
    void list(std::vector<std::string> lines);
    void table(std::vector<PrintedTable::Column> columns,
               std::vector<std::vector<ReportCell>> rows);
    void picture(std::filesystem::path svg, std::string caption);
    void code(std::string text);
};

/// One HTML 5 file that needs no other: style and pictures stand in it, and no script. A picture
/// that cannot be read is said.
std::string report_html(const ReportDocument& report);

/// The same as Markdown; pictures are links, seen from `folder`.
std::string report_markdown(const ReportDocument& report, const std::filesystem::path& folder);

}  // namespace headroom
