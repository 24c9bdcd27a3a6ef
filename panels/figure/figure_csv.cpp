#include "panels/figure/figure_csv.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/figure/csv_text.h"

namespace headroom {
namespace {

/// Whether values say of how many runs they are: then the table has a further column.
bool has_counts(const Figure& figure) {
    return std::any_of(figure.series.begin(), figure.series.end(),
                       [](const FigureSeries& series) { return !series.counts.empty(); });
}

void append_header(const Figure& figure, std::string& out) {
    append_csv_comment(out, "figure", figure.title);
    append_csv_comment(out, "x", figure.x.label);
    append_csv_comment(out, "y", figure.y.label);
    append_csv_comment(out, "note", figure.footnote);
    append_csv_sources(out, figure.sources);
    const std::string& y = figure.y.column;
    fmt::format_to(std::back_inserter(out), "series,role,{},{},{},{}{}\n",
                   csv_quoted(figure.x.column), csv_quoted(y), csv_quoted(y + "_lower"),
                   csv_quoted(y + "_upper"), has_counts(figure) ? ",n" : "");
}

struct Span {
    size_t begin, end;
};

Span shown(const Curve& curve, Range range) {
    CHECK(!curve.is_outlined(), "CSV holds points, and of an outlined curve most are not there");
    return {curve.lower_index(range.lower), curve.upper_index(range.upper)};
}

/// Every row has as many fields as the header; `end` is "," where that ends in n.
void append_series(const FigureSeries& series, Range range, const char* end_of_row,
                   std::string& out) {
    const auto [begin, end] = shown(*series.data, range);
    const std::string start = csv_quoted(series.name) + "," + csv_quoted(series.role) + ",";
    for (size_t i = begin; i < end; ++i)
        out += start + csv_number(series.data->x()[i]) + "," +
               (series.has_values ? csv_number(series.data->y()[i]) : "") + ",," +
               (series.counts.empty() ? end_of_row : fmt::format(",{}", series.counts[i])) + "\n";
}

void append_band(const FigureBand& band, Range range, const char* end_of_row, std::string& out) {
    const auto [begin, end] = shown(*band.lower, range);
    const std::string start = csv_quoted(band.name) + ",band,";
    for (size_t i = begin; i < end; ++i)
        out += start + csv_number(band.lower->x()[i]) + ",," + csv_number(band.lower->y()[i]) +
               "," + csv_number(band.upper->y()[i]) + end_of_row + "\n";
}

void append_bar(const FigureBar& bar, const std::vector<std::string>& names, const char* end_of_row,
                std::string& out) {
    const auto at = static_cast<size_t>(std::max(0l, std::lround(bar.x) - 1));
    out += csv_quoted(bar.name) + "," + csv_quoted(bar.role) + "," +
           (at < names.size() ? csv_quoted(names[at]) : csv_number(bar.x)) + "," +
           csv_number(bar.upper - bar.lower) + "," + csv_number(bar.lower) + "," +
           csv_number(bar.upper) + end_of_row + "\n";
}

}  // namespace

std::string figure_csv(const Figure& figure) {
    std::string out;
    append_header(figure, out);
    const char* end_of_row = has_counts(figure) ? "," : "";
    for (const FigureSeries& series : figure.series)
        if (series.visible && series.data) append_series(series, figure.x.range, end_of_row, out);
    for (const FigureBand& band : figure.bands)
        if (band.visible && band.lower) append_band(band, figure.x.range, end_of_row, out);
    for (const FigureBar& bar : figure.bars) append_bar(bar, figure.x.names, end_of_row, out);
    for (const FigureRule& rule : figure.rules) {
        const std::string at = csv_number(rule.at);
        out += csv_quoted(rule.label) + ",rule," + (rule.horizontal ? "," + at : at + ",") + ",," +
               end_of_row + "\n";
    }
    return out;
}

}  // namespace headroom
