#include "app/study/report_document.h"

#include <cstdint>
#include <exception>

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

constexpr uint64_t kMostPictureBytes = uint64_t{64} << 20;

constexpr char kStyle[] = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto;
       max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid #1a1a1a; } tbody tr:last-child td { border-bottom: 1px solid #1a1a1a; }
thead tr:first-child th { border-top: 2px solid #1a1a1a; }
.number { text-align: right; }
figure { margin: 1.5rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; font-size: .85rem; }
.good { color: #00663d; font-weight: 600; } .bad { color: #a3260f; font-weight: 600; }
.open { color: #6b4e00; }
@media (prefers-color-scheme: dark) {
  body { color: #e4e4e4; background: #16181b; } pre { background: #22262b; }
  th, tbody tr:last-child td, thead tr:first-child th { border-color: #e4e4e4; }
  figcaption { color: #aaa; } figure img { background: #fff; }
  .good { color: #53c48c; } .bad { color: #ff8a70; } .open { color: #e0b84d; } }
)";

std::string escaped(const std::string& text, bool lines = false) {
    std::string result;
    for (const char c : lines ? text : printable(text)) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else
            result.push_back(c);
    }
    return result;
}

std::string base64(const std::string& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; ++j)
            group =
                group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (size_t j = 0; j < 4; ++j)
            text.push_back(i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=');
    }
    return text;
}

std::string_view word_of(ReportCell::Tone tone) {
    switch (tone) {
        case ReportCell::Tone::kGood:
            return "good";
        case ReportCell::Tone::kBad:
            return "bad";
        case ReportCell::Tone::kOpen:
            return "open";
        case ReportCell::Tone::kPlain:
        case ReportCell::Tone::kStrong:
            break;
    }
    return "";
}

std::string class_of(std::string_view tone, bool is_number) {
    if (tone.empty() && !is_number) return "";
    return fmt::format(" class=\"{}{}{}\"", tone, !tone.empty() && is_number ? " " : "",
                       is_number ? "number" : "");
}

std::string html_table(const ReportBlock& block) {
    std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
    for (const PrintedTable::Column& column : block.columns)
        html += fmt::format("<th scope=\"col\"{}>{}</th>", class_of("", column.is_number),
                            escaped(column.head));
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : block.rows) {
        html += "<tr>";
        for (size_t c = 0; c < row.size(); ++c) {
            const std::string text = escaped(row[c].text);
            const bool strong = row[c].tone == ReportCell::Tone::kStrong;
            html += fmt::format("<td{}>{}</td>",
                                class_of(word_of(row[c].tone), block.columns[c].is_number),
                                strong ? "<strong>" + text + "</strong>" : text);
        }
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
}

/// As an image and not as elements: several SVG would share the names in them, and an image runs no
/// script.
std::string html_picture(const ReportBlock& block) {
    const std::string caption = escaped(block.text);
    try {
        const std::string svg = read_text(block.picture, kMostPictureBytes);
        return fmt::format(
            "<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{1}\">"
            "<figcaption>{0}</figcaption></figure>\n",
            caption, base64(svg));
    } catch (const std::exception& error) {
        return fmt::format("<p>{}: {}</p>\n", caption, escaped(error.what()));
    }
}

std::string html_block(const ReportBlock& block) {
    std::string html;
    switch (block.kind) {
        case ReportBlock::Kind::kHeading:
            return fmt::format("<h2>{}</h2>\n", escaped(block.text));
        case ReportBlock::Kind::kText:
            return fmt::format("<p>{}</p>\n", escaped(block.text));
        case ReportBlock::Kind::kList:
            for (const std::string& line : block.lines)
                html += fmt::format("<li>{}</li>\n", escaped(line));
            return "<ul>\n" + html + "</ul>\n";
        case ReportBlock::Kind::kTable:
            return html_table(block);
        case ReportBlock::Kind::kPicture:
            return html_picture(block);
        case ReportBlock::Kind::kCode:
            break;
    }
    return fmt::format("<pre><code>{}</code></pre>\n", escaped(block.text, true));
}

/// A text that begins a line: no heading and no quotation.
std::string markdown_line(const std::string& text) {
    const std::string line = markdown_text(text);
    return (line.starts_with('#') || line.starts_with('>') ? "\\" : "") + line;
}

std::string markdown_rows(const ReportBlock& block) {
    PrintedTable table{block.columns, {}, {}};
    for (const auto& row : block.rows) {
        auto& cells = table.rows.emplace_back();
        for (const ReportCell& cell : row) {
            const bool strong = cell.tone != ReportCell::Tone::kPlain &&
                                cell.tone != ReportCell::Tone::kOpen && !cell.text.empty();
            cells.push_back({cell.text, strong});
        }
    }
    return markdown_table(table);
}

std::string markdown_block(const ReportBlock& block, const std::filesystem::path& folder) {
    std::string text;
    switch (block.kind) {
        case ReportBlock::Kind::kHeading:
            return "## " + markdown_text(block.text) + "\n";
        case ReportBlock::Kind::kText:
            return markdown_line(block.text) + "\n";
        case ReportBlock::Kind::kList:
            for (const std::string& line : block.lines) text += "- " + markdown_line(line) + "\n";
            return text;
        case ReportBlock::Kind::kTable:
            return markdown_rows(block);
        case ReportBlock::Kind::kPicture:
            return fmt::format("![{}](<{}>)\n", markdown_text(block.text),
                               block.picture.lexically_proximate(folder).generic_string());
        case ReportBlock::Kind::kCode:
            break;
    }
    return "```\n" + block.text + (block.text.ends_with('\n') ? "" : "\n") + "```\n";
}

}  // namespace

void ReportDocument::heading(std::string text) {
    blocks.push_back({ReportBlock::Kind::kHeading, std::move(text), {}, {}, {}, {}});
}

void ReportDocument::text(std::string text) {
    blocks.push_back({ReportBlock::Kind::kText, std::move(text), {}, {}, {}, {}});
}

void ReportDocument::list(std::vector<std::string> lines) {
    if (!lines.empty())
        blocks.push_back({ReportBlock::Kind::kList, "", std::move(lines), {}, {}, {}});
}

void ReportDocument::table(std::vector<PrintedTable::Column> columns,
                           std::vector<std::vector<ReportCell>> rows) {
    blocks.push_back({ReportBlock::Kind::kTable, "", {}, std::move(columns), std::move(rows), {}});
}

void ReportDocument::picture(std::filesystem::path svg, std::string caption) {
    blocks.push_back({ReportBlock::Kind::kPicture, std::move(caption), {}, {}, {}, std::move(svg)});
}

void ReportDocument::code(std::string text) {
    blocks.push_back({ReportBlock::Kind::kCode, std::move(text), {}, {}, {}, {}});
}

std::string report_html(const ReportDocument& report) {
    const std::string title = escaped(report.title);
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
        "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        title, kStyle);
    for (const ReportBlock& block : report.blocks) html += html_block(block);
    return html + "</body>\n</html>\n";
}

std::string report_markdown(const ReportDocument& report, const std::filesystem::path& folder) {
    std::string text = "# " + markdown_text(report.title) + "\n";
    for (const ReportBlock& block : report.blocks) text += "\n" + markdown_block(block, folder);
    return text;
}

}  // namespace headroom
